// Real servers that tests talk to; they come from the system's packages, not from npm.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** What is missing for the peer tests, as one line with the way to get it; undefined when all is there. */
export function missingPeers() {
  // Servers are often outside a user's PATH.
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin"];
  const missing = ["netconfd", "sshd"].filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  if (missing.length === 0) return undefined;
  return `peers: ${missing.join(" and ")} not installed (Debian and Ubuntu, as root: scripts/install-peers)`;
}
