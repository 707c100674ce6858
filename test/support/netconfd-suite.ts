/** Suites that need netconfd. */
import { ncclientAvailable } from "./ncclient/client.ts";
import { netconfdAvailable } from "./netconfd.ts";
import { describePeer } from "./peer-suite.ts";

/** A suite that needs netconfd, sshd and ncclient. */
export function describeNetconfd(name: string, suite: () => void): void {
  const missing = [netconfdAvailable(), ncclientAvailable()].flatMap((part) =>
    part.kind === "unavailable" ? [part.reason] : [],
  );
  describePeer(name, missing.length === 0 ? undefined : missing.join("; "), suite);
}
