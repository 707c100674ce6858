/** Suites that need a peer: they run where it is, fail where it has to be, and say so where it is merely absent. */
import { describe, expect, it } from "vitest";

/**
 * A suite that needs what `missing` says is not there; undefined: all is there. With `CI=true` absence is a failing
 * test; elsewhere the suite is one skipped test whose name gives the reason.
 */
export function describePeer(name: string, missing: string | undefined, suite: () => void): void {
  if (missing === undefined) {
    describe(name, suite);
    return;
  }
  describe(name, () => {
    if (process.env["CI"] === "true") it("has its peer", () => expect.fail(missing));
    else it.skip(missing, () => undefined);
  });
}
