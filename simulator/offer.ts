import type { SchemaModule } from "../model/schema.ts";
import { baseCapability, monitoringNamespace } from "./netconf-names.ts";
import type { ReportMode, WithDefaultsMode } from "./with-defaults.ts";

type Offered = "offered" | "none";

/** What the device says it can do, and does. Every part can be switched off by itself. */
export interface DeviceOffer {
  readonly bases: readonly ("1.0" | "1.1")[];
  readonly candidate: Offered;
  readonly writableRunning: Offered;
  readonly startup: Offered;
  readonly confirmedCommit: "1.1" | "1.0" | "none";
  readonly validate: "1.1" | "1.0" | "none";
  readonly rollbackOnError: Offered;
  readonly withDefaults: {
    readonly basicMode: WithDefaultsMode;
    readonly alsoSupported: readonly ReportMode[];
    /** `none`: the basic mode is used, but neither announced nor may another be asked for. */
    readonly capability: Offered;
  };
  /** get-schema and the list of schemas (RFC 6022). */
  readonly monitoring: Offered;
  /** The module list of RFC 7895. */
  readonly yangLibrary: Offered;
}

/** Everything but writable-running and startup, as a modern router has it. */
export const defaultOffer: DeviceOffer = {
  bases: ["1.0", "1.1"],
  candidate: "offered",
  writableRunning: "none",
  startup: "none",
  confirmedCommit: "1.1",
  validate: "1.1",
  rollbackOnError: "offered",
  withDefaults: {
    basicMode: "explicit",
    alsoSupported: ["report-all", "report-all-tagged", "trim"],
    capability: "offered",
  },
  monitoring: "offered",
  yangLibrary: "offered",
};

/**
 * The capabilities of the server's hello. Modules of YANG version 1 are announced one by one, those of 1.1 only through the YANG library
 * (RFC 7950, section 5.6.4), unless there is none.
 */
export function capabilityUris(
  offer: DeviceOffer,
  modules: readonly SchemaModule[],
  moduleSetId: string,
): readonly string[] {
  const standard = "urn:ietf:params:netconf:capability:";
  const uris: string[] = offer.bases.map((base) => baseCapability[base]);
  if (offer.writableRunning === "offered") uris.push(`${standard}writable-running:1.0`);
  if (offer.candidate === "offered") uris.push(`${standard}candidate:1.0`);
  if (offer.confirmedCommit !== "none") uris.push(`${standard}confirmed-commit:${offer.confirmedCommit}`);
  if (offer.rollbackOnError === "offered") uris.push(`${standard}rollback-on-error:1.0`);
  if (offer.validate !== "none") uris.push(`${standard}validate:${offer.validate}`);
  if (offer.startup === "offered") uris.push(`${standard}startup:1.0`);
  const { basicMode, alsoSupported, capability } = offer.withDefaults;
  if (capability === "offered") {
    const also = alsoSupported.length === 0 ? "" : `&also-supported=${alsoSupported.join(",")}`;
    uris.push(`${standard}with-defaults:1.0?basic-mode=${basicMode}${also}`);
  }
  if (offer.monitoring === "offered") {
    uris.push(`${monitoringNamespace}?module=ietf-netconf-monitoring&revision=2010-10-04`);
  }
  if (offer.yangLibrary === "offered") {
    uris.push(`${standard}yang-library:1.0?revision=2016-06-21&module-set-id=${moduleSetId}`);
  }
  for (const module of modules) {
    if (!module.importOnly && (module.yangVersion === "1" || offer.yangLibrary === "none"))
      uris.push(moduleUri(module));
  }
  return uris;
}

function moduleUri(module: SchemaModule): string {
  let uri = `${module.namespace}?module=${module.name}`;
  if (module.revision !== undefined) uri += `&revision=${module.revision}`;
  if (module.features.length > 0) uri += `&features=${module.features.join(",")}`;
  if (module.deviatedBy.length > 0) uri += `&deviations=${module.deviatedBy.join(",")}`;
  return uri;
}
