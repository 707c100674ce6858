/** How the simulator reports a configuration that its modules do not allow (RFC 7950 sections 8.3 and 15). */
import { expect, it } from "vitest";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { checkTree } from "../../simulator/check-tree.ts";
import { rpcErrorToXml } from "../../simulator/rpc-error.ts";
import { valueOf } from "../support/results.ts";
import { caseSchema, readCase } from "../verdicts/our-verdict.ts";
import type { VerdictCase } from "../verdicts/verdict-case.ts";

function errors(yang: string, data: Exclude<VerdictCase["data"], string>): readonly string[] {
  const each: VerdictCase = { title: "simulator", rfc: "15", yang, data, verdict: "valid" };
  const schema = caseSchema(each);
  return checkTree(valueOf(readCase(each, schema))).map((error) => {
    const text = formatXml(rpcErrorToXml(schema, error));
    if (text.kind === "failed") throw new Error(JSON.stringify(text));
    return text.value.replace(/ xmlns(:\w+)?="[^"]*"/gu, "").replace(/<error-message.*<\/error-message>/u, "");
  });
}

it("a must that does not hold, with the schema's message", () => {
  const yang = `list e { key k; leaf k { type string; } leaf n { type uint8; must ". < 5" { error-message "too big"; } } }`;
  expect(errors(yang, { "v:e": [{ k: "it's", n: 9 }] })).toEqual([
    "<rpc-error><error-type>application</error-type><error-tag>operation-failed</error-tag>" +
      "<error-severity>error</error-severity><error-app-tag>must-violation</error-app-tag>" +
      `<error-path>/v:e[v:k="it's"]/v:n</error-path></rpc-error>`,
  ]);
});

it("a node under a when that is false is an unknown element", () => {
  const yang = `container c { leaf on { type boolean; } leaf x { when "../on = 'true'"; type string; } }`;
  expect(errors(yang, { "v:c": { on: false, x: "1" } })).toEqual([
    "<rpc-error><error-type>application</error-type><error-tag>unknown-element</error-tag>" +
      "<error-severity>error</error-severity><error-path>/v:c/v:x</error-path>" +
      "<error-info><bad-element>x</bad-element></error-info></rpc-error>",
  ]);
});

it("a leafref without its instance, and a choice without a case", () => {
  const yang = `container c { presence "on"; leaf-list n { type string; } leaf r { type leafref { path "../n"; } }
    choice ch { mandatory true; leaf a { type string; } } }`;
  expect(errors(yang, { "v:c": { r: "x" } })).toEqual([
    "<rpc-error><error-type>application</error-type><error-tag>data-missing</error-tag>" +
      "<error-severity>error</error-severity><error-app-tag>missing-choice</error-app-tag>" +
      "<error-path>/v:c</error-path><error-info><missing-choice>ch</missing-choice></error-info></rpc-error>",
    "<rpc-error><error-type>application</error-type><error-tag>data-missing</error-tag>" +
      "<error-severity>error</error-severity><error-app-tag>instance-required</error-app-tag>" +
      "<error-path>/v:c/v:r</error-path></rpc-error>",
  ]);
});

it("entries that are not unique, with each leaf of both", () => {
  const yang = `list e { key k; unique "a c/b"; leaf k { type string; } leaf a { type uint8; default 1; }
    container c { leaf b { type uint8; } } }`;
  const [error] = errors(yang, {
    "v:e": [
      { k: "x", c: { b: 2 } },
      { k: "y", a: 1, c: { b: 2 } },
    ],
  });
  expect(error).toContain("<error-app-tag>data-not-unique</error-app-tag><error-path>/v:e[v:k='y']</error-path>");
  expect(error).toContain(
    "<error-info><non-unique>/v:e[v:k='x']/v:a</non-unique><non-unique>/v:e[v:k='x']/v:c/v:b</non-unique>" +
      "<non-unique>/v:e[v:k='y']/v:a</non-unique><non-unique>/v:e[v:k='y']/v:c/v:b</non-unique></error-info>",
  );
});

it("names of YANG's own stand in its namespace", () => {
  const error = { type: "application", tag: "data-missing", severity: "error", message: "no case" } as const;
  const info = [{ namespace: "urn:ietf:params:xml:ns:yang:1", name: "missing-choice", text: "ch" }];
  const schema = caseSchema({
    title: "simulator",
    rfc: "15.7",
    yang: "leaf a { type string; }",
    data: {},
    verdict: "valid",
  });
  const text = formatXml(rpcErrorToXml(schema, { ...error, info }));
  expect(text.kind === "failed" ? "" : text.value).toContain(
    '<missing-choice xmlns="urn:ietf:params:xml:ns:yang:1">ch</missing-choice>',
  );
});
