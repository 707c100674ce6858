/** Steps around devices: they become known, somebody touches them, they are looked at. */
import { z } from "zod";
import { checkFact } from "../fact.ts";
import { CREDENTIALS, moduleFiles } from "../initial-config.ts";
import type { Step } from "../stage.ts";

const deviceSchema = z.object({
  name: z.string(),
  modules: z.number(),
  provider: z.string(),
  credentials: z.string(),
  hostKey: z.object({ kind: z.literal("pinned"), sha256: z.string() }),
  profile: z.object({ name: z.string(), chosen: z.string() }),
  sync: z.object({ kind: z.string() }),
});

/** `device add`: its host key is accepted and pinned, its modules are fetched; nothing is imported yet. */
export function addDevice(name: string): Step {
  return async (stage) => {
    const words = ["--address", stage.device(name).address, "--credentials", CREDENTIALS, "--accept-new-host-key"];
    const device = await stage.tenure(["device", "add", name, ...words], deviceSchema);
    checkFact("modules of the device", { expected: moduleFiles.length, found: device.modules });
    checkFact(`${name} is known by reference`, { expected: CREDENTIALS, found: device.credentials });
    checkFact(`${name} has no desired state yet`, { expected: "not-imported", found: device.sync.kind });
    stage.narrator.say(
      `${device.name} answered over ${device.provider} and gave ${String(device.modules)} modules; profile ${device.profile.name} (${device.profile.chosen}).\nIts host key ${device.hostKey.sha256} is pinned from now on.`,
    );
  };
}

const importSchema = z.object({
  outcomes: z.array(
    z.object({ kind: z.literal("imported"), device: z.string(), revision: z.number(), items: z.number() }),
  ),
});

/** `import --all`: what the devices have becomes desired state, a revision for each. */
export function importDevices(expected: { readonly devices: number; readonly revisions: readonly number[] }): Step {
  return async (stage) => {
    const { outcomes } = await stage.tenure(["import", "--all"], importSchema);
    checkFact("every device was imported", { expected: expected.devices, found: outcomes.length });
    const revisions = outcomes.map(({ revision }) => revision).sort((a, b) => a - b);
    checkFact("revisions of the import", { expected: expected.revisions, found: revisions });
    const items = outcomes.reduce((sum, outcome) => sum + outcome.items, 0);
    stage.narrator.say(`${String(items)} items are desired state now, as revisions ${revisions.join(" and ")}.`);
  };
}

/** Somebody changes the device without Tenure. Nothing of Tenure sees it at that moment. */
export function changeByHand(name: string, what: string, config: string): Step {
  return async (stage) => {
    await stage.device(name).changeByHand(config);
    stage.narrator.say(`(somebody at ${name}, behind Tenure's back: ${what})`);
  };
}

/** Asks the device itself, past Tenure. `text` is looked for in its running configuration. */
export function deviceHolds(name: string, text: string): Step {
  return async (stage) => {
    const running = (await stage.device(name).running()).replace(/>\s+</g, "><");
    checkFact(`the running configuration of ${name} holds ${text}`, {
      expected: true,
      found: running.includes(text) || running,
    });
  };
}

/** Forgets what the devices received so far, so that `noWritesSince` is about what follows. */
export function watchWrites(...names: readonly string[]): Step {
  return async (stage) => {
    for (const name of names) await stage.device(name).takeWrites();
  };
}

/** No operation that writes has reached the devices since they were last watched; their own logs say so. */
export function nothingWritten(...names: readonly string[]): Step {
  return async (stage) => {
    for (const name of names) {
      checkFact(`writing operations that ${name} received`, {
        expected: [],
        found: await stage.device(name).takeWrites(),
      });
    }
  };
}

const statusSchema = z.object({
  health: z.object({ revision: z.number() }),
  devices: z.array(
    z.object({ name: z.string(), sync: z.object({ kind: z.string(), revision: z.number().optional() }) }),
  ),
});

/** `drift --all` finds nothing, and `status` then calls every device in sync. */
export function inSync(...names: readonly string[]): Step {
  return async (stage) => {
    await stage.tenure(["drift", "--all"], z.unknown());
    const { health, devices } = await stage.tenure(["status"], statusSchema);
    const found = devices.map(({ name, sync }) => `${name} ${sync.kind}`).sort();
    checkFact("how the devices stand", { expected: names.map((name) => `${name} in-sync`), found });
    stage.narrator.say(`Revision ${String(health.revision)}: ${found.join(", ")}.`);
  };
}
