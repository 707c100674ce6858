/** A folder with YANG modules and data of our own, and the launcher that the offline verbs are run with in it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { runInProcess } from "./run-cli.ts";

const launcher = join(import.meta.dirname, "..", "..", "bin", "tenure");

export interface OfflineRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface OfflineLab {
  readonly folder: string;
  write(name: string, content: string | Uint8Array): void;
  /** Runs the launcher in the folder; `input` is its standard input. */
  launch(argv: readonly string[], input?: string): OfflineRun;
  /** Runs the same command line in this process, which is quicker; there is no standard input. */
  run(argv: readonly string[]): Promise<OfflineRun>;
}

const TYPES = `module lab-types {
  yang-version 1.1;
  namespace "urn:t:lab-types";
  prefix lt;
  revision 2030-01-01;
  identity speed;
  identity gigabit { base speed; }
  typedef port-name { type string { length "0..20"; } }
}
`;

const NET = `module lab-net {
  yang-version 1.1;
  namespace "urn:t:lab-net";
  prefix ln;
  import lab-types { prefix lt; }
  revision 2030-02-02;
  feature tunnels;
  feature names;
  container net {
    leaf hostname { type string; mandatory true; }
    leaf nickname { if-feature names; type string; }
    list port {
      key name;
      leaf name { type lt:port-name; }
      leaf speed { type identityref { base lt:speed; } }
      leaf mtu {
        type uint16 { range "68..9216"; }
        default 1500;
        must ". != 1000" { error-message "1000 is no MTU here"; error-app-tag lab-mtu; }
      }
      container state { config false; leaf up { type boolean; } }
    }
    leaf uplink { type leafref { path "../port/name"; } }
    leaf-list tag { type string; }
    anydata note;
  }
  leaf site { type string; }
}
`;

/** The newer revision stands in a folder of its own; the older one lacks `site`. */
const OLD_NET = `module lab-net {
  yang-version 1.1;
  namespace "urn:t:lab-net";
  prefix ln;
  revision 2029-01-01;
  container net { leaf hostname { type string; } }
}
`;

/** Makes the folder and makes it the working directory for the rest of the test file. */
export function offlineLab(): OfflineLab {
  const folder = mkdtempSync(join(tmpdir(), "tenure-offline-"));
  const before = process.cwd();
  process.chdir(folder);
  afterAll(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });
  const write = (name: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  };
  write("models/lab-types.yang", TYPES);
  write("models/current/lab-net.yang", NET);
  write("models/lab-net@2029-01-01.yang", OLD_NET);
  // A home of its own that does not exist: these verbs need none.
  const environment = { PATH: process.env["PATH"] ?? "", TENURE_HOME: join(folder, "no-home") };
  return {
    folder,
    write,
    launch: (argv, input = "") => {
      const ended = spawnSync(process.execPath, [launcher, ...argv], { env: environment, input, encoding: "utf8" });
      return { code: ended.status, out: ended.stdout, err: ended.stderr };
    },
    run: (argv) => runInProcess(argv, environment),
  };
}
