import { afterAll, beforeAll, test } from "vitest";
import { type Site, mtuService, startSite } from "../support/pipeline-site.ts";
let site: Site;
beforeAll(async () => {
  site = await startSite();
}, 60_000);
afterAll(() => site.stop());
test("x", async () => {
  const t = performance.now();
  const say = (w: string, more: unknown = "") => console.log(Math.round(performance.now() - t), w, more);
  try {
    const device = await site.start("f1");
    const started = await site.api.post<{ run: string }>("/devices", { name: "f1", address: `127.0.0.1:${device.port}`, credentials: site.credentials, hostKey: { kind: "accept-new" } });
    for (let i = 0; i < 20; i++) {
      const v = await site.api.get(`/runs/${started.run}`, { wait: 1 });
      say("run", JSON.stringify(v).slice(0, 600));
      if (v.kind !== "running") break;
    }
    const imp = await site.api.post<{ run: string }>("/imports", { mode: "record", empty: "refuse", devices: ["f1"] });
    for (let i = 0; i < 10; i++) {
      const v = await site.api.get(`/runs/${imp.run}`, { wait: 1 });
      say("import", JSON.stringify(v).slice(0, 600));
      if (v.kind !== "running") break;
    }
    const { execFileSync } = await import("node:child_process");
    const { resolveTemporalProgram } = await import("../../runtime/temporal/resolve-temporal.ts");
    say(execFileSync(resolveTemporalProgram().path, ["workflow", "show", "--workflow-id", imp.run, "--address", site.temporal.address, "-o", "json"], { encoding: "utf8" }).slice(-4000));
  } finally {
    say(site.worker().errors());
  }
}, 60000);
