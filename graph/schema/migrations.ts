/**
 * The data model in Cypher, as numbered steps from the empty database on; a later model is a further step. A file of an
 * earlier model is not altered but rebuilt from the journal.
 *
 * Times are database revisions: a row or edge holds from `valid_from` on and before `valid_to` (`OPEN_END` while it
 * stands), so that one condition selects the whole graph of any revision. `form` is the canonical JSON of the thing,
 * or `#` and the digest of the document that holds it where it is long (`stored-text.ts`). What is not an edge here and
 * could be, and why, stands in docs/decisions/0020-stored-edges.md.
 */

export interface Migration {
  readonly number: number;
  readonly statements: readonly string[];
}

export const OPEN_END = Number.MAX_SAFE_INTEGER;

export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    statements: [
      // One row, 'graph': model version, and the last journal record that the graph holds.
      "CREATE NODE TABLE Meta(id STRING PRIMARY KEY, model INT64, record INT64, digest STRING)",
      // Idempotency keys: what was answered to the first delivery.
      "CREATE NODE TABLE Key(id STRING PRIMARY KEY, record INT64, answer STRING)",

      // Logical part 1: device configuration.
      "CREATE NODE TABLE Device(id STRING PRIMARY KEY, name STRING, state STRING, form STRING)",
      // Identity of a data node within its device, for good. `id` follows from device and path.
      "CREATE NODE TABLE Item(id STRING PRIMARY KEY, device STRING, path STRING)",
      // What an item was over a span of revisions. `state`: present, deleted, or device (facts of the whole device).
      "CREATE NODE TABLE Version(id STRING PRIMARY KEY, state STRING, form STRING, valid_from INT64, valid_to INT64)",
      "CREATE NODE TABLE Revision(id INT64 PRIMARY KEY, record INT64, time STRING, form STRING)",
      "CREATE NODE TABLE Evidence(id STRING PRIMARY KEY, device STRING, revision INT64, form STRING)",

      // Logical part 2: network services.
      "CREATE NODE TABLE Service(id STRING PRIMARY KEY)",
      // An instance and its status over a span of revisions.
      "CREATE NODE TABLE ServiceVersion(id STRING PRIMARY KEY, service STRING, form STRING, valid_from INT64, valid_to INT64)",
      "CREATE NODE TABLE Definition(id STRING PRIMARY KEY, name STRING, form STRING, valid_from INT64, valid_to INT64)",

      // Plans, and what was decided about them.
      "CREATE NODE TABLE Plan(id STRING PRIMARY KEY, digest STRING, state STRING, opened STRING, form STRING, latest STRING)",
      "CREATE NODE TABLE Approval(id INT64 PRIMARY KEY, plan STRING, kind STRING, form STRING)",
      "CREATE NODE TABLE Decision(id STRING PRIMARY KEY, form STRING)",
      "CREATE NODE TABLE Outcome(id INT64 PRIMARY KEY, plan STRING, form STRING)",
      "CREATE NODE TABLE Condition(id STRING PRIMARY KEY, subject STRING, form STRING)",

      "CREATE REL TABLE HAS_VERSION(FROM Device TO Version, FROM Service TO ServiceVersion)",
      "CREATE REL TABLE CURRENT(FROM Item TO Version)",
      "CREATE REL TABLE PREVIOUS(FROM Version TO Version)",
      "CREATE REL TABLE OWNS(FROM Service TO Item, device STRING, form STRING, valid_from INT64, valid_to INT64)",
      "CREATE REL TABLE DEPENDS_ON(FROM Service TO Item, device STRING, form STRING, valid_from INT64, valid_to INT64)",
      "CREATE REL TABLE TARGETS(FROM Service TO Device, valid_from INT64, valid_to INT64)",
      "CREATE REL TABLE EVIDENCE_OF(FROM Evidence TO Item)",
    ],
  },
  {
    number: 2,
    statements: [
      // The record whose snapshot the graph was built from (0: from the first record on), the revision as of which
      // older history was pruned (0: none was), and that revision's time.
      "ALTER TABLE Meta ADD base INT64 DEFAULT 0",
      "ALTER TABLE Meta ADD pruned INT64 DEFAULT 0",
      "ALTER TABLE Meta ADD pruned_time STRING DEFAULT '-'",
      // Newest revision that wrote the device, 0 before the first: a condition of an older one is not current.
      "ALTER TABLE Device ADD revision INT64 DEFAULT 0",
    ],
  },
  {
    number: 3,
    statements: [
      // An item names its newest version, and a version the one before, by the revision with which it began (0: there is
      // none). As edges they were scanned whole for every batch of keys; as properties each is a key.
      "DROP TABLE CURRENT",
      "DROP TABLE PREVIOUS",
      "ALTER TABLE Item ADD current INT64 DEFAULT 0",
      "ALTER TABLE Version ADD previous INT64 DEFAULT 0",
    ],
  },
];

/** The model that this version works on. */
export const MODEL = MIGRATIONS.at(-1)?.number ?? 0;
