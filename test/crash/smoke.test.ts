import { expect, test, afterAll } from "vitest";
import { startWorld } from "../support/pipeline-world.ts";
test("smoke", { timeout: 120_000 }, async () => {
  const t0 = performance.now();
  const lap = (what: string) => console.log(what, Math.round(performance.now() - t0));
  const world = await startWorld({ devices: ["r1", "r2"] });
  try {
    lap("world");
    await world.addDevices(); lap("added");
    console.log(JSON.stringify(await world.importDevices())); lap("imported");
    for (const mtu of [9000, 1500]) {
      const plan = await world.put(`kind: definition
name: mtu
version: "1"
parameters: {type: object, properties: {interface: {type: string}, mtu: {type: integer}}, required: [interface, mtu]}
rules:
  - path: /tenure-demo-interfaces:interfaces/interface[name='\${params.interface}']/mtu
    value: \${params.mtu}
---
kind: service
name: a
definition: mtu
parameters: {interface: eth0, mtu: ${mtu}}
targets: [r1, r2]
`);
      lap("planned");
      for (const d of world.devices) d.clearRpcs();
      await world.worker().arm(undefined);
      const done = await world.apply(plan);
      lap("applied");
      console.log(JSON.stringify(done));
      for (const d of world.devices) console.log(d.rpcs().map(r => `${r.session}:${r.operation}:${r.datastore ?? ""}`).join(" "));
      console.log((await world.worker().appends()).join(" "));
    }
    console.log(JSON.stringify(await world.drift())); lap("drift");
    await world.worker().kill(); lap("killed");
    await world.restart(); lap("restarted");
    console.log(world.worker().errors());
  } finally { await world.stop(); lap("stopped"); }
  expect(1).toBe(1);
});
