/**
 * Statements of `tenure check`. Invariants return what must not be (`place`), a few of each; they scan, which is what a
 * check is for: two seconds at a million items each at most. Whole rows are read by key, a batch at a time, so that no
 * result grows with the graph: 1,000 keys take some 10 ms, scanning page by page would scan the table for each page.
 */
import type { EdgeName, NodeName } from "../apply/change.ts";

/* ---- invariants within the graph ---- */

/** An item's version of revision N is called `ITEM@N`; `current` and `previous` are such numbers, 0 where there is none. */
export const CURRENT_THAT_ENDED =
  "MATCH (i:Item) WHERE i.current <> 0 WITH i.id AS item, concat(i.id, '@', CAST(i.current, 'STRING')) AS version OPTIONAL MATCH (v:Version {id: version}) WITH item, v WHERE v IS NULL OR v.valid_to <> $open RETURN item AS place LIMIT 20";
export const OPEN_VERSIONS_NOT_CURRENT =
  "MATCH (v:Version) WHERE v.valid_to = $open WITH v.id AS version, v.valid_from AS since, split_part(v.id, '@', 1) AS item OPTIONAL MATCH (i:Item {id: item}) WITH version, since, i WHERE i IS NULL OR i.current <> since RETURN version AS place LIMIT 20";

/** A version follows the one before at once: a gap would be a time at which the item was nothing, not even deleted. */
export const BROKEN_CHAINS =
  "MATCH (v:Version) WHERE v.previous <> 0 WITH v.id AS version, v.valid_from AS since, concat(split_part(v.id, '@', 1), '@', CAST(v.previous, 'STRING')) AS before OPTIONAL MATCH (p:Version {id: before}) WITH version, since, p WHERE p IS NULL OR p.valid_to <> since RETURN version AS place LIMIT 20";
/** What has ended was followed by something, if only by its deletion. */
export const CUT_CHAINS =
  "MATCH (v:Version) WHERE v.valid_to <> $open WITH v.id AS version, v.valid_from AS since, concat(split_part(v.id, '@', 1), '@', CAST(v.valid_to, 'STRING')) AS after OPTIONAL MATCH (n:Version {id: after}) WITH version, since, n WHERE n IS NULL OR n.previous <> since RETURN version AS place LIMIT 20";

/** What nothing leads to any more. */
export const VERSIONS_WITHOUT_DEVICE =
  "MATCH (v:Version) WHERE NOT EXISTS { MATCH (:Device)-[:HAS_VERSION]->(v) } RETURN v.id AS place LIMIT 20";
/** An item stands for something that it was, or for what a link or evidence names. */
export const ITEMS_WITHOUT_ANYTHING =
  "MATCH (i:Item) WHERE i.current = 0 AND NOT EXISTS { MATCH (:Service)-[:OWNS|DEPENDS_ON]->(i) } AND NOT EXISTS { MATCH (:Evidence)-[:EVIDENCE_OF]->(i) } RETURN i.id AS place LIMIT 20";
export const SERVICE_VERSIONS_WITHOUT_SERVICE =
  "MATCH (n:ServiceVersion) WHERE NOT EXISTS { MATCH (:Service)-[:HAS_VERSION]->(n) } RETURN n.id AS place LIMIT 20";
export const EVIDENCE_WITHOUT_ITEM =
  "MATCH (n:Evidence) WHERE NOT EXISTS { MATCH (n)-[:EVIDENCE_OF]->(:Item) } RETURN n.id AS place LIMIT 20";

/** Spans that are empty, or that begin or end at a revision which does not exist. */
export const BAD_SPANS_OF_VERSIONS =
  "MATCH (n:Version) WHERE n.valid_from >= n.valid_to OR n.valid_from > $newest OR (n.valid_to > $newest AND n.valid_to <> $open) RETURN n.id AS place LIMIT 20";
export const BAD_SPANS_OF_SERVICES =
  "MATCH (n:ServiceVersion) WHERE n.valid_from >= n.valid_to OR n.valid_from > $newest OR (n.valid_to > $newest AND n.valid_to <> $open) RETURN n.id AS place LIMIT 20";
export const BAD_SPANS_OF_DEFINITIONS =
  "MATCH (n:Definition) WHERE n.valid_from >= n.valid_to OR n.valid_from > $newest OR (n.valid_to > $newest AND n.valid_to <> $open) RETURN n.id AS place LIMIT 20";
export const BAD_SPANS_OF_LINKS =
  "MATCH (s:Service)-[l:OWNS|DEPENDS_ON]->(i:Item) WHERE l.valid_from >= l.valid_to OR l.valid_from > $newest OR (l.valid_to > $newest AND l.valid_to <> $open) RETURN concat(s.id, ' ', i.id) AS place LIMIT 20";
export const BAD_SPANS_OF_TARGETS =
  "MATCH (s:Service)-[l:TARGETS]->(d:Device) WHERE l.valid_from >= l.valid_to OR l.valid_from > $newest OR (l.valid_to > $newest AND l.valid_to <> $open) RETURN concat(s.id, ' ', d.id) AS place LIMIT 20";

/** A link tells its device twice: by itself, for queries of one device, and by its item. */
export const LINKS_ELSEWHERE =
  "MATCH (s:Service)-[l:OWNS|DEPENDS_ON]->(i:Item) WHERE l.device <> i.device RETURN concat(s.id, ' ', i.id) AS place LIMIT 20";

/* ---- spans of links against those of the instance and its targets; thousands of rows, for links of one span are one ---- */
export const SERVICE_SPANS =
  "MATCH (n:ServiceVersion) RETURN n.service AS service, n.valid_from AS since, n.valid_to AS until";
export const TARGET_SPANS =
  "MATCH (s:Service)-[l:TARGETS]->(d:Device) RETURN s.id AS service, d.id AS device, l.valid_from AS since, l.valid_to AS until";
export const LINK_SPANS =
  "MATCH (s:Service)-[l:OWNS|DEPENDS_ON]->(:Item) RETURN s.id AS service, l.device AS device, l.valid_from AS since, l.valid_to AS until, count(*) AS links";

/* ---- whole rows, to be compared with what the journal says ---- */

/** How many rows each table has: with every expected row found, an equal count means that there are no others. */
export const NODE_COUNTS = "MATCH (n) RETURN label(n) AS name, count(*) AS rows";
export const EDGE_COUNTS = "MATCH (a)-[e]->(b) RETURN label(a) AS source, label(e) AS name, count(*) AS rows";

export interface NodeRowStatements {
  /** The rows of these keys, with every column. */
  readonly rows: string;
  /** All keys; read only where the count says that there are too many. */
  readonly keys: string;
}

/** By key, through the index; the tables in the order of `NODE_COLUMNS`. */
export const NODE_ROWS: Readonly<Record<NodeName, NodeRowStatements>> = {
  Meta: {
    rows: "UNWIND $ids AS id MATCH (n:Meta {id: id}) RETURN n.id AS id, n.model AS model, n.record AS record, n.digest AS digest, n.base AS base, n.pruned AS pruned, n.pruned_time AS pruned_time",
    keys: "MATCH (n:Meta) RETURN n.id AS id",
  },
  Key: {
    rows: "UNWIND $ids AS id MATCH (n:Key {id: id}) RETURN n.id AS id, n.record AS record, n.answer AS answer",
    keys: "MATCH (n:Key) RETURN n.id AS id",
  },
  Device: {
    rows: "UNWIND $ids AS id MATCH (n:Device {id: id}) RETURN n.id AS id, n.name AS name, n.state AS state, n.form AS form, n.revision AS revision",
    keys: "MATCH (n:Device) RETURN n.id AS id",
  },
  Item: {
    rows: "UNWIND $ids AS id MATCH (n:Item {id: id}) RETURN n.id AS id, n.device AS device, n.path AS path, n.current AS current",
    keys: "MATCH (n:Item) RETURN n.id AS id",
  },
  Version: {
    rows: "UNWIND $ids AS id MATCH (n:Version {id: id}) RETURN n.id AS id, n.state AS state, n.form AS form, n.valid_from AS valid_from, n.valid_to AS valid_to, n.previous AS previous",
    keys: "MATCH (n:Version) RETURN n.id AS id",
  },
  Revision: {
    rows: "UNWIND $ids AS id MATCH (n:Revision {id: id}) RETURN n.id AS id, n.record AS record, n.time AS time, n.form AS form",
    keys: "MATCH (n:Revision) RETURN n.id AS id",
  },
  Evidence: {
    rows: "UNWIND $ids AS id MATCH (n:Evidence {id: id}) RETURN n.id AS id, n.device AS device, n.revision AS revision, n.form AS form",
    keys: "MATCH (n:Evidence) RETURN n.id AS id",
  },
  Service: {
    rows: "UNWIND $ids AS id MATCH (n:Service {id: id}) RETURN n.id AS id",
    keys: "MATCH (n:Service) RETURN n.id AS id",
  },
  ServiceVersion: {
    rows: "UNWIND $ids AS id MATCH (n:ServiceVersion {id: id}) RETURN n.id AS id, n.service AS service, n.form AS form, n.valid_from AS valid_from, n.valid_to AS valid_to",
    keys: "MATCH (n:ServiceVersion) RETURN n.id AS id",
  },
  Definition: {
    rows: "UNWIND $ids AS id MATCH (n:Definition {id: id}) RETURN n.id AS id, n.name AS name, n.form AS form, n.valid_from AS valid_from, n.valid_to AS valid_to",
    keys: "MATCH (n:Definition) RETURN n.id AS id",
  },
  Plan: {
    rows: "UNWIND $ids AS id MATCH (n:Plan {id: id}) RETURN n.id AS id, n.digest AS digest, n.state AS state, n.opened AS opened, n.form AS form, n.latest AS latest",
    keys: "MATCH (n:Plan) RETURN n.id AS id",
  },
  Approval: {
    rows: "UNWIND $ids AS id MATCH (n:Approval {id: id}) RETURN n.id AS id, n.plan AS plan, n.kind AS kind, n.form AS form",
    keys: "MATCH (n:Approval) RETURN n.id AS id",
  },
  Decision: {
    rows: "UNWIND $ids AS id MATCH (n:Decision {id: id}) RETURN n.id AS id, n.form AS form",
    keys: "MATCH (n:Decision) RETURN n.id AS id",
  },
  Outcome: {
    rows: "UNWIND $ids AS id MATCH (n:Outcome {id: id}) RETURN n.id AS id, n.plan AS plan, n.form AS form",
    keys: "MATCH (n:Outcome) RETURN n.id AS id",
  },
  Condition: {
    rows: "UNWIND $ids AS id MATCH (n:Condition {id: id}) RETURN n.id AS id, n.subject AS subject, n.form AS form",
    keys: "MATCH (n:Condition) RETURN n.id AS id",
  },
};

/**
 * The edges of a table, with every column; the ends are `source` and `target`. A table with an edge an item is read one
 * starting node at a time (`$id`): a pattern with an edge behind `UNWIND` would scan the whole table for each batch.
 */
export interface EdgeRowStatement {
  readonly rows: string;
  readonly by: "source" | "table";
}

/** `HINT` says where to start; without it the planner scans the far end where it believes that to be small. */
export const EDGE_ROWS: Readonly<Record<EdgeName, EdgeRowStatement>> = {
  deviceVersion: {
    rows: "MATCH (a:Device {id: $id})-[e:HAS_VERSION]->(b:Version) HINT (a JOIN e) JOIN b RETURN a.id AS source, b.id AS target",
    by: "source",
  },
  serviceVersion: {
    rows: "MATCH (a:Service)-[:HAS_VERSION]->(b:ServiceVersion) RETURN a.id AS source, b.id AS target",
    by: "table",
  },
  owns: {
    rows: "MATCH (a:Service {id: $id})-[e:OWNS]->(b:Item) HINT (a JOIN e) JOIN b RETURN a.id AS source, b.id AS target, e.device AS device, e.form AS form, e.valid_from AS valid_from, e.valid_to AS valid_to",
    by: "source",
  },
  dependsOn: {
    rows: "MATCH (a:Service {id: $id})-[e:DEPENDS_ON]->(b:Item) HINT (a JOIN e) JOIN b RETURN a.id AS source, b.id AS target, e.device AS device, e.form AS form, e.valid_from AS valid_from, e.valid_to AS valid_to",
    by: "source",
  },
  targets: {
    rows: "MATCH (a:Service)-[e:TARGETS]->(b:Device) RETURN a.id AS source, b.id AS target, e.valid_from AS valid_from, e.valid_to AS valid_to",
    by: "table",
  },
  evidenceOf: {
    rows: "MATCH (a:Evidence)-[:EVIDENCE_OF]->(b:Item) RETURN a.id AS source, b.id AS target",
    by: "table",
  },
};

/** Labels by which `EDGE_COUNTS` tells the edge tables apart. */
export const EDGE_LABELS: Readonly<Record<EdgeName, { readonly source: NodeName; readonly name: string }>> = {
  deviceVersion: { source: "Device", name: "HAS_VERSION" },
  serviceVersion: { source: "Service", name: "HAS_VERSION" },
  owns: { source: "Service", name: "OWNS" },
  dependsOn: { source: "Service", name: "DEPENDS_ON" },
  targets: { source: "Service", name: "TARGETS" },
  evidenceOf: { source: "Evidence", name: "EVIDENCE_OF" },
};
