/** Definitions and their versions on the pipeline: which one an instance gets, and what is said of those there are not. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatPlace } from "../../model/diagnostic.ts";
import { type Site, failureOf, mtuOn, startSite } from "../support/pipeline-site.ts";

let site: Site;
beforeAll(async () => {
  site = await startSite();
}, 60_000);
afterAll(() => site.stop());

const definition = (name: string, version: string, mtu: number): string => `kind: definition
name: ${name}
version: "${version}"
parameters: {type: object, properties: {port: {type: string, default: eth0}}}
rules:
  - path: /tenure-demo-interfaces:interfaces/interface[name='\${params.port}']/mtu
    value: ${String(mtu)}
---
`;
const instance = (
  name: string,
  options: { readonly of: string; readonly target: string; readonly more?: string },
): string =>
  `kind: service
name: ${name}
definition: ${options.of}
targets: [${options.target}]
${options.more ?? ""}
`;

async function diagnostics(text: string) {
  const error = failureOf(await site.submit(text));
  expect(error.code).toBe("Refused");
  return error.diagnostics?.map(({ code, places, message }) => [code, places.map(formatPlace)[0], message]);
}

describe.concurrent("definitions", () => {
  test("a new version changes no instance; a pinned old one is there as long as an instance stands on it", async () => {
    const [device] = await site.imported(["versions"]);
    const on = { of: "versions", target: "versions" };
    await site.apply(await site.put(definition("versions", "1", 9000) + instance("versions-a", on)));
    expect(mtuOn(device)).toBe("9000");
    await site.submit(definition("versions", "2", 1500), { mode: "record" });
    expect(await site.service("versions-a")).toMatchObject({
      definition: { version: "1" },
      status: { kind: "consistent" },
    });
    expect(await site.goal("versions")).toContain("9000");

    const pinned = { ...on, more: 'version: "1"\nparameters: {port: eth1}' };
    await site.submit(instance("versions-b", pinned), { mode: "record" });
    expect(await site.service("versions-b")).toMatchObject({ definition: { version: "1" } });
    await site.apply(await site.put(instance("versions-a", on)));
    expect(await site.service("versions-a")).toMatchObject({ definition: { version: "2" } });
    expect([mtuOn(device), mtuOn(device, "eth1")]).toEqual(["1500", undefined]);

    await site.submitted(await site.api.post("/services/versions-b/removal", { mode: "record" }));
    expect(await diagnostics(instance("versions-c", pinned))).toEqual([
      ["unknown-definition", "services.yaml:5:10", "definition versions in version 1 is wanted, and there is 2"],
    ]);
  });

  test("an unknown definition, device and parameter are errors of one stage, each at its place", async () => {
    await site.imported(["known"]);
    const text =
      definition("known", "1", 9000).replace("params.port", "params.prot") +
      instance("known-a", { of: "nowhere", target: "known" }) +
      `---\n${instance("known-b", { of: "known", target: "knwon", more: "parameters: {prot: eth0}" })}`;
    expect(await diagnostics(text)).toEqual([
      ["expression-name", "services.yaml:6:11", "`params.prot`: the definition has no parameter prot"],
      ["unknown-definition", "services.yaml:11:13", "there is no definition nowhere"],
      ["unknown-device", "services.yaml:18:11", "no device knwon"],
      ["parameter", "services.yaml:19:14", "parameters.prot is no parameter"],
    ]);
    expect(await site.refusal(site.service("known-b"))).toMatchObject({ code: "unknown-service" });
    expect(await site.refusal(site.api.get("/definitions/known"))).toMatchObject({ code: "unknown-definition" });
  });

  test("one error of a rule on many devices is one, and names them", async () => {
    await site.imported(["many-1", "many-2"]);
    const text = definition("many", "1", 67_000) + instance("many", { of: "many", target: "many-1, many-2" });
    expect(await diagnostics(text)).toEqual([
      ["rule-value", "services.yaml:7:12", expect.stringMatching(/^on many-1, many-2: .*\/mtu: /)],
    ]);
  });
});
