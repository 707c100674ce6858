/** Profiles of NETCONF servers: how to validate, what is secret, what has to be survived. */
import type { DeviceProfile } from "../capability.ts";

/** A server that does what RFC 6241 says. */
const generic: DeviceProfile = {
  name: "netconf-generic",
  validation: "validate",
  secrets: [],
  secretExtensions: ["tenure-extensions:tenure-secret", "ietf-netconf-acm:default-deny-all"],
  startup: "none",
  managementPaths: [],
  unknownNodes: "error",
  lineFeedAfterHello: "refuse",
};

/**
 * netconfd 2.x (yuma123): after edit and `<validate>` its commit answers ok and commits nothing; the test option in the
 * edit works. The read-back decides in any case.
 */
const yuma: DeviceProfile = { ...generic, name: "yuma-netconfd", validation: "test-then-set", unknownNodes: "warn" };

export const netconfProfiles: readonly DeviceProfile[] = [generic, yuma];

export function chooseNetconfProfile(announcement: readonly string[]): DeviceProfile {
  return announcement.some((uri) => uri.includes("module=yuma") || uri.startsWith("http://netconfcentral.org/ns/yuma"))
    ? yuma
    : generic;
}
