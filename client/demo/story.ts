/**
 * The story of the demo as data: what is done, and what must be true after it. Two services want different MTUs on one
 * uplink; devices are changed behind Tenure's back; nothing is written that was not approved.
 */
import type { Chapter } from "./stage.ts";
import { historyIs, itemIs } from "./steps/desired.ts";
import {
  addDevice,
  changeByHand,
  deviceHolds,
  importDevices,
  inSync,
  nothingWritten,
  watchWrites,
} from "./steps/devices.ts";
import { driftFound, planDrift } from "./steps/drift.ts";
import { approve, approveStale, planSays } from "./steps/plans.ts";
import { consistent, overridden, putService, removeService } from "./steps/services.ts";

export const deviceNames = ["r1", "r2"] as const;

/** Jumbo frames on the uplinks of both devices. */
const a = { name: "core-jumbo", file: "examples/services/jumbo.yaml" } as const;
/** A neighbour of r1 that takes 1500 octets at most, in a VLAN of its own. */
const b = { name: "old-router", file: "examples/services/legacy-peer.yaml" } as const;

const mtu = "/tenure-demo-interfaces:interfaces/interface[name='eth0']/mtu";
const contact = "/tenure-demo-system:system/contact";
/** As plans are told: without modules. */
const shortMtu = "/interfaces/interface[name='eth0']/mtu";
const vlan = "/vlans/vlan[id='42']";

const uplink = (leafs: string): string =>
  `<interfaces xmlns="urn:tenure:demo:interfaces"><interface><name>eth0</name>${leafs}</interface></interfaces>`;
const system = (leafs: string): string => `<system xmlns="urn:tenure:demo:system">${leafs}</system>`;

const planOfB = [
  `replace ${shortMtu}: 9000 -> 1500 (for service ${b.name})`,
  `create ${vlan}: nothing -> {"id":42,"name":"${b.name}"} (for service ${b.name})`,
  `${b.name} overrides ${a.name}`,
];

export const story: readonly Chapter[] = [
  {
    title: "Two devices become known, and what they have becomes desired state",
    steps: [addDevice("r1"), addDevice("r2"), importDevices({ devices: 2, revisions: [1, 2] }), inSync("r1", "r2")],
  },
  {
    title: `Service ${a.name} (A) wants MTU 9000 on both uplinks`,
    steps: [
      watchWrites("r1", "r2"),
      putService(a.file),
      planSays({
        r1: [`create ${shortMtu}: nothing -> 9000 (for service ${a.name})`],
        r2: [`create ${shortMtu}: nothing -> 9000 (for service ${a.name})`],
      }),
      nothingWritten("r1", "r2"),
      approve({ devices: { r1: "applied", r2: "applied" }, revision: 3 }),
      deviceHolds("r1", "<mtu>9000</mtu>"),
      deviceHolds("r2", "<mtu>9000</mtu>"),
      inSync("r1", "r2"),
      consistent(a.name),
    ],
  },
  {
    title: `Service ${b.name} (B) wants 1500 there on r1, and a VLAN: the newer update wins, and A is told`,
    steps: [
      putService(b.file),
      planSays({ r1: planOfB }),
      approve({ devices: { r1: "applied" }, revision: 4 }),
      deviceHolds("r1", "<mtu>1500</mtu>"),
      itemIs("r1", mtu, { value: "1500", setBy: `service ${b.name}`, since: 4, owners: [a.name, b.name] }),
      overridden(a.name, { by: b.name, path: mtu, required: "9000", found: "1500", revision: 4 }),
    ],
  },
  {
    title: "B is removed: its VLAN goes; 1500 stays while A needs the item, and no earlier value comes back by itself",
    steps: [
      removeService(b.name),
      planSays({
        r1: [
          `delete ${vlan}: {"id":42,"name":"${b.name}"} -> nothing (service ${b.name} goes)`,
          `stays ${shortMtu} at 1500, set by service ${b.name}: ${a.name} owns it`,
          `goes ${vlan}`,
          `goes ${vlan}/name`,
        ],
      }),
      approve({ devices: { r1: "applied" }, revision: 5 }),
      deviceHolds("r1", "<mtu>1500</mtu>"),
      itemIs("r1", mtu, { value: "1500", setBy: `service ${b.name}`, since: 4, owners: [a.name] }),
    ],
  },
  {
    title: "A is put again: 9000 again",
    steps: [
      putService(a.file),
      planSays({ r1: [`replace ${shortMtu}: 1500 -> 9000 (for service ${a.name})`], r2: [] }),
      approve({ devices: { r1: "applied", r2: "applied" }, revision: 6 }),
      deviceHolds("r1", "<mtu>9000</mtu>"),
      consistent(a.name),
      inSync("r1", "r2"),
    ],
  },
  {
    title: "Somebody changes r2; the plan against it is refused, because r2 moves once more before it is applied",
    steps: [
      changeByHand("r2", "MTU 1400", uplink("<mtu>1400</mtu>")),
      driftFound("r2", { operations: 1 }),
      planDrift("enforce", "r2"),
      planSays({ r2: [`replace ${shortMtu}: 1400 -> 9000 (against drift)`] }),
      changeByHand("r2", "MTU 1300", uplink("<mtu>1300</mtu>")),
      watchWrites("r2"),
      approveStale({ devices: { r2: "not-applied" }, revision: undefined }),
      nothingWritten("r2"),
      deviceHolds("r2", "<mtu>1300</mtu>"),
    ],
  },
  {
    title: "A fresh plan brings r2 back",
    steps: [
      planDrift("enforce", "r2"),
      planSays({ r2: [`replace ${shortMtu}: 1300 -> 9000 (against drift)`] }),
      approve({ devices: { r2: "applied" }, revision: undefined }),
      deviceHolds("r2", "<mtu>9000</mtu>"),
      inSync("r1", "r2"),
    ],
  },
  {
    title: "Somebody changes r1, and this time it is right: desired state accepts it",
    steps: [
      changeByHand("r1", "another contact", system("<contact>night-shift@example.net</contact>")),
      driftFound("r1", { operations: 1 }),
      planDrift("accept", "r1"),
      planSays({ r1: ["drift touched /system/contact: expected noc@example.net, found night-shift@example.net"] }),
      watchWrites("r1"),
      approve({ devices: { r1: "applied" }, revision: 7 }),
      nothingWritten("r1"),
      itemIs("r1", contact, {
        value: "night-shift@example.net",
        setBy: "accept",
        since: 7,
        owners: [],
      }),
      inSync("r1", "r2"),
    ],
  },
  {
    title: "B comes back, and A is removed: only what nobody else needs goes",
    steps: [
      putService(b.file),
      planSays({ r1: planOfB }),
      approve({ devices: { r1: "applied" }, revision: 8 }),
      removeService(a.name),
      planSays({
        r1: [`stays ${shortMtu} at 1500, set by service ${b.name}: ${b.name} owns it`],
        r2: [`delete ${shortMtu}: 9000 -> nothing (service ${a.name} goes)`, `goes ${shortMtu}`],
      }),
      approve({ devices: { r1: "applied", r2: "applied" }, revision: 9 }),
      deviceHolds("r1", "<mtu>1500</mtu>"),
      consistent(b.name),
      inSync("r1", "r2"),
    ],
  },
  {
    title: "What the MTU of the two uplinks has been, and through whom",
    steps: [
      historyIs("r1", mtu, [
        { revision: 3, value: "9000", setBy: `service ${a.name}` },
        { revision: 4, value: "1500", setBy: `service ${b.name}` },
        { revision: 6, value: "9000", setBy: `service ${a.name}` },
        { revision: 8, value: "1500", setBy: `service ${b.name}` },
      ]),
      historyIs("r2", mtu, [
        { revision: 3, value: "9000", setBy: `service ${a.name}` },
        { revision: 9, value: undefined, setBy: undefined },
      ]),
    ],
  },
];
