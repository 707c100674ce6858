/**
 * Every statement that reads, with the reason for its shape; `test/integration/graph-queries.test.ts` holds the plan of
 * each. Three ways to a row:
 * - A key in braces is a primary-key lookup: 0.2 ms at a million nodes, 1,000 of them behind `UNWIND` 8 ms.
 * - An edge is walked from such a key, `HINT` saying so: 0.7 ms, and with the number of edges there. A statement is
 *   planned when it is first run, for the sizes of that day, and keeps its plan: without the hint a graph that was empty
 *   then scans the far table for ever (200,000 items: 44 ms for 1 ms). Behind `UNWIND` an edge is scanned always.
 * - Tables that are scanned are small, and say so.
 */
/** What a file of any model holds: these columns were there from the first on. */
export const META_OF_ANY_MODEL =
  "MATCH (n:Meta {id: 'graph'}) RETURN n.model AS model, n.record AS record, n.digest AS digest";
/** The row that says what the graph holds. */
export const META =
  "MATCH (n:Meta {id: 'graph'}) RETURN n.model AS model, n.record AS record, n.digest AS digest, n.base AS base, n.pruned AS pruned, n.pruned_time AS pruned_time";

/** What the first delivery under an idempotency key was told. */
export const KEY = "MATCH (n:Key {id: $id}) RETURN n.record AS record, n.answer AS answer";

/* ---- devices: thousands, scanned by name ---- */
export const DEVICES = "MATCH (n:Device) RETURN n.id AS id, n.form AS form ORDER BY n.name, n.id";
export const DEVICE = "MATCH (n:Device {id: $id}) RETURN n.id AS id, n.form AS form, n.revision AS revision";
export const DEVICE_BY_NAME =
  "MATCH (n:Device) WHERE n.name = $name AND n.state <> 'removed' RETURN n.id AS id, n.form AS form";
/** Newest revision that wrote a device (0: none did), against which its conditions are read. */
export const DEVICE_REVISION = "MATCH (n:Device {id: $id}) RETURN n.revision AS revision";
export const DEVICE_REVISIONS = "MATCH (n:Device) RETURN n.id AS id, n.revision AS revision";

/* ---- items ---- */
/** A device at a revision: over HAS_VERSION it costs the device's own versions; walking PREVIOUS would take seconds. */
export const VERSIONS_AT =
  "MATCH (d:Device {id: $device})-[h:HAS_VERSION]->(v:Version) WHERE v.valid_from <= $revision AND v.valid_to > $revision AND v.state <> 'deleted' HINT (d JOIN h) JOIN v RETURN v.state AS state, v.form AS form";
/** What a write set meets: which items stand, and what they are now (0: only links or evidence name them). */
export const ITEMS = "UNWIND $ids AS id MATCH (i:Item {id: id}) RETURN i.id AS item, i.current AS current";
export const VERSIONS =
  "UNWIND $ids AS id MATCH (v:Version {id: id}) RETURN v.id AS id, v.state AS state, v.form AS form, v.valid_from AS since";
/** History and blame walk from version to version: an item knows its current one, a version the one before, by number. */
export const ITEM = "MATCH (i:Item {id: $id}) RETURN i.current AS current";
export const VERSION =
  "MATCH (v:Version {id: $id}) RETURN v.state AS state, v.form AS form, v.valid_from AS since, v.valid_to AS until, v.previous AS previous";
/** What a revision changed on a device: versions that start with it. */
export const VERSIONS_OF_REVISION =
  "MATCH (d:Device {id: $device})-[h:HAS_VERSION]->(v:Version) WHERE v.valid_from = $revision HINT (d JOIN h) JOIN v RETURN v.state AS state, v.form AS form";

/* ---- service links ---- */
/** Links into a device at a revision, from the services that ever targeted it (TARGETS is short; items are many). */
export const OWNS_INTO_DEVICE =
  "MATCH (d:Device {id: $device})<-[t:TARGETS]-(s:Service) HINT (d JOIN t) JOIN s WITH DISTINCT s MATCH (s)-[l:OWNS]->(i:Item) WHERE l.device = $device AND l.valid_from <= $revision AND l.valid_to > $revision HINT (s JOIN l) JOIN i RETURN l.form AS form";
export const DEPENDS_INTO_DEVICE =
  "MATCH (d:Device {id: $device})<-[t:TARGETS]-(s:Service) HINT (d JOIN t) JOIN s WITH DISTINCT s MATCH (s)-[l:DEPENDS_ON]->(i:Item) WHERE l.device = $device AND l.valid_from <= $revision AND l.valid_to > $revision HINT (s JOIN l) JOIN i RETURN l.form AS form";
/** Everything one instance holds, over all devices. */
export const OWNS_OF_SERVICE =
  "MATCH (s:Service {id: $service})-[l:OWNS]->(i:Item) WHERE l.valid_from <= $revision AND l.valid_to > $revision HINT (s JOIN l) JOIN i RETURN l.form AS form";
export const DEPENDS_OF_SERVICE =
  "MATCH (s:Service {id: $service})-[l:DEPENDS_ON]->(i:Item) WHERE l.valid_from <= $revision AND l.valid_to > $revision HINT (s JOIN l) JOIN i RETURN l.form AS form";
/** Who holds one item. */
export const OWNERS_OF_ITEM =
  "MATCH (i:Item {id: $item})<-[l:OWNS]-(s:Service) WHERE l.valid_from <= $revision AND l.valid_to > $revision HINT (i JOIN l) JOIN s RETURN l.form AS form";
export const DEPENDANTS_OF_ITEM =
  "MATCH (i:Item {id: $item})<-[l:DEPENDS_ON]-(s:Service) WHERE l.valid_from <= $revision AND l.valid_to > $revision HINT (i JOIN l) JOIN s RETURN l.form AS form";

/* ---- services and definitions: thousands, scanned ---- */
export const SERVICES_AT =
  "MATCH (n:ServiceVersion) WHERE n.valid_from <= $revision AND n.valid_to > $revision RETURN n.service AS service, n.form AS form ORDER BY n.service";
export const SERVICE_AT =
  "MATCH (s:Service {id: $service})-[h:HAS_VERSION]->(n:ServiceVersion) WHERE n.valid_from <= $revision AND n.valid_to > $revision HINT (s JOIN h) JOIN n RETURN n.id AS id, n.form AS form";
/** Newest revision that changed an instance or its status. */
export const SERVICE_REVISION =
  "MATCH (s:Service {id: $service})-[h:HAS_VERSION]->(n:ServiceVersion) HINT (s JOIN h) JOIN n RETURN max(n.valid_from) AS revision";
export const KNOWN_SERVICES = "UNWIND $ids AS id MATCH (s:Service {id: id}) RETURN s.id AS service";
export const DEFINITIONS_AT =
  "MATCH (n:Definition) WHERE n.valid_from <= $revision AND n.valid_to > $revision RETURN n.id AS id, n.name AS name, n.form AS form ORDER BY n.name";

/* ---- revisions ---- */
export const CURRENT_REVISION = "MATCH (n:Revision) RETURN max(n.id) AS revision";
export const REVISION =
  "MATCH (n:Revision {id: $id}) RETURN n.id AS revision, n.record AS record, n.time AS time, n.form AS form";
export const REVISIONS =
  "MATCH (n:Revision) WHERE n.id >= $from AND n.id <= $to RETURN n.id AS revision, n.record AS record, n.time AS time, n.form AS form ORDER BY n.id DESC LIMIT $limit";
/** Newest revision at or before an instant; times never run backwards with the number. */
export const REVISION_AT_TIME = "MATCH (n:Revision) WHERE n.time <= $time RETURN max(n.id) AS revision";

/* ---- plans and what was decided: tens of thousands over the years, scanned by plan ---- */
export const PLANS =
  "MATCH (n:Plan) RETURN n.id AS id, n.state AS state, n.opened AS opened, n.form AS form, n.latest AS latest ORDER BY n.opened, n.id";
export const PLAN =
  "MATCH (n:Plan {id: $id}) RETURN n.id AS id, n.state AS state, n.opened AS opened, n.form AS form, n.latest AS latest";
/** Tens of thousands over the years, scanned: only a change of key asks. */
export const PLANS_IN_STATES = "UNWIND $states AS state MATCH (n:Plan) WHERE n.state = state RETURN n.id AS id";
export const APPROVALS =
  "MATCH (n:Approval) WHERE n.plan = $plan RETURN n.id AS record, n.kind AS kind, n.form AS form ORDER BY n.id";
export const OUTCOMES = "MATCH (n:Outcome) WHERE n.plan = $plan RETURN n.id AS record, n.form AS form ORDER BY n.id";
export const DECISION = "MATCH (n:Decision {id: $id}) RETURN n.form AS form";
export const CONDITIONS = "MATCH (n:Condition) RETURN n.subject AS subject, n.form AS form ORDER BY n.id";
export const CONDITIONS_OF =
  "MATCH (n:Condition) WHERE n.subject = $subject RETURN n.subject AS subject, n.form AS form ORDER BY n.id";
export const CONDITION = "MATCH (n:Condition {id: $id}) RETURN n.subject AS subject, n.form AS form";

/* ---- evidence ---- */
export const EVIDENCE_ON_DEVICE =
  "MATCH (n:Evidence) WHERE n.device = $device RETURN n.revision AS revision, n.form AS form ORDER BY n.revision, n.id";
export const EVIDENCE_ON_ITEM =
  "MATCH (i:Item {id: $item})<-[e:EVIDENCE_OF]-(n:Evidence) HINT (i JOIN e) JOIN n RETURN n.revision AS revision, n.form AS form ORDER BY n.revision, n.id";
