/** Suites that need netconfd: they run where it is, fail where it has to be, and say so where it is merely absent. */
import { describe, it } from "vitest";
import { ncclientAvailable } from "./ncclient/client.ts";
import { netconfdAvailable } from "./netconfd.ts";

/**
 * A suite that needs netconfd, sshd and ncclient. Where one is missing, `CI=true` makes that a failing test; elsewhere
 * the suite is one skipped test whose name gives the reason.
 */
export function describePeer(name: string, suite: () => void): void {
  const missing = [netconfdAvailable(), ncclientAvailable()].flatMap((part) =>
    part.kind === "unavailable" ? [part.reason] : [],
  );
  if (missing.length === 0) {
    describe(name, suite);
    return;
  }
  const reason = missing.join("; ");
  describe(name, () => {
    if (process.env["CI"] === "true") {
      it("runs", () => {
        throw new Error(`CI must have this peer: ${reason}`);
      });
    } else {
      it.skip(`skipped: ${reason}`, () => undefined);
    }
  });
}
