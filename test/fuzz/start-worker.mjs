// tsx does not reach into threads by itself.
import { register } from "tsx/esm/api";

register();
await import("./fuzz-worker.ts");
