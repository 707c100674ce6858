import type { Command } from "commander";
import type { RollbackRequest, StartedSubmission } from "../../contract/api.ts";
import { usageError } from "../cli-error.ts";
import { type ChangeFlags, changeFlags, changeOptions, followChange } from "./change.ts";
import { type CliRun, addVerb, option, repeated } from "./verb.ts";

interface RollbackFlags extends ChangeFlags {
  readonly to: string;
  readonly device?: readonly string[];
}

export function addRollback(program: Command, cli: CliRun): void {
  addVerb<RollbackFlags>(program, cli, {
    usage: "rollback",
    summary:
      "Plan the return to a revision: configuration, links, instances and definitions as they were. Approved and applied like a put.",
    examples: [
      "tenure rollback --to 7 --preview",
      "tenure rollback --to 7",
      "tenure rollback --to 7 --device r1 --device r2 --record",
    ],
    options: [
      option("--to <n>", "the revision to return to").makeOptionMandatory(),
      repeated("--device <name>", "only this device; may be given again"),
      ...changeFlags(),
    ],
    run: async ({ session, options }) => {
      if (!/^[1-9][0-9]{0,14}$/.test(options.to)) throw usageError(`${options.to} is not a revision number`);
      const request: RollbackRequest = {
        ...changeOptions(options),
        to: Number(options.to),
        ...(options.device === undefined ? {} : { devices: options.device }),
      };
      return followChange(session, await session.api.post<StartedSubmission>("/rollbacks", request), options);
    },
  });
}
