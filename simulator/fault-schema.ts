import { z } from "zod";
import type { Fault } from "./faults.ts";
import { errorTags } from "./rpc-error.ts";

const when = z.enum(["before", "after"]);
const tag = z.enum(errorTags);

const action = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("drop-session"), when }),
  z.strictObject({ kind: z.literal("delay"), milliseconds: z.int().nonnegative() }),
  z.strictObject({ kind: z.literal("hold"), when }),
  z.strictObject({ kind: z.literal("deny-lock"), session: z.int().nonnegative() }),
  z.strictObject({ kind: z.literal("fail"), tag, message: z.string() }),
  z.strictObject({ kind: z.literal("warn"), message: z.string() }),
  z.strictObject({ kind: z.literal("ignore") }),
  z.strictObject({ kind: z.literal("rewrite"), path: z.string(), value: z.string() }),
  z.strictObject({ kind: z.literal("add"), config: z.string() }),
  z.strictObject({ kind: z.literal("refuse-edit"), path: z.string(), tag, message: z.string() }),
]);

/** Faults as JSON: the fields of `Fault`, nothing else. */
export const faultListSchema: z.ZodType<readonly Fault[]> = z.array(
  z.strictObject({
    id: z.string().min(1),
    operation: z.string().min(1),
    occurrence: z.union([z.int().positive(), z.literal("every")]),
    action,
  }),
);
