/** What a person reads when one module of many cannot be used. */
import { expect, it } from "vitest";
import { refusedModules } from "../../activities/module-sets.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { EVERYTHING, yangModule } from "./yang-fixture.ts";

it("the wrong module, its first error before all warnings, and the way out", () => {
  const dated = yangModule("a", "revision 2020-01-01; revision 2024-01-01;");
  const wrong = yangModule("wrong", "leaf a { type nothing-known; }\nleaf b { type nothing-else; }");
  const result = compileYang([dated, yangModule("right", ""), wrong], EVERYTHING);
  if (result.kind === "ok") throw new Error("the modules compile");
  expect(result.diagnostics[0]?.severity).toBe("warning");
  const { message, diagnostics } = refusedModules(result.diagnostics, 3);
  expect(message).toBe(
    "1 of the device's 3 modules do not compile (wrong.yang): wrong.yang:2:10: no typedef nothing-known in wrong; " +
      "put all its modules into a folder, correct these there, and name it: device add .. --yang DIR",
  );
  expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
    "error unknown-type",
    "error unknown-type",
    "warning revision-order",
  ]);
});
