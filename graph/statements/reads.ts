/**
 * Every statement that reads, with the reason for its shape. A key in braces is a primary-key lookup (under a
 * millisecond at a million nodes); tables that are scanned are small, and say so.
 */

/** The row that says what the graph holds. */
export const META = "MATCH (n:Meta {id: 'graph'}) RETURN n.model AS model, n.record AS record, n.digest AS digest";

export const KEY = "MATCH (n:Key {id: $id}) RETURN n.record AS record, n.answer AS answer";

/* ---- devices: thousands, scanned by name ---- */
export const DEVICES = "MATCH (n:Device) RETURN n.id AS id, n.form AS form ORDER BY n.name, n.id";
export const DEVICE = "MATCH (n:Device {id: $id}) RETURN n.id AS id, n.form AS form";
export const DEVICE_BY_NAME =
  "MATCH (n:Device) WHERE n.name = $name AND n.state <> 'removed' RETURN n.id AS id, n.form AS form";

/* ---- items ---- */
/** A device at a revision: over HAS_VERSION it costs the device's own versions; walking PREVIOUS would take seconds. */
export const VERSIONS_AT =
  "MATCH (:Device {id: $device})-[:HAS_VERSION]->(v:Version) WHERE v.valid_from <= $revision AND v.valid_to > $revision AND v.state <> 'deleted' RETURN v.state AS state, v.form AS form";
/** What a write set meets: for known items their current version. UNWIND over keys, for `IN $ids` scans. */
export const CURRENT_OF =
  "UNWIND $ids AS id MATCH (i:Item {id: id})-[:CURRENT]->(v:Version) RETURN i.id AS item, v.id AS version, v.state AS state, v.form AS form";
/** Items may stand without a version: a service depends on what is not there. */
export const KNOWN_ITEMS = "UNWIND $ids AS id MATCH (i:Item {id: id}) RETURN i.id AS item";
export const PREVIOUS_OF =
  "MATCH (v:Version {id: $id})-[:PREVIOUS]->(p:Version) RETURN p.id AS id, p.state AS state, p.form AS form, p.valid_from AS since, p.valid_to AS until";
export const CURRENT_VERSION =
  "MATCH (i:Item {id: $item})-[:CURRENT]->(v:Version) RETURN v.id AS id, v.state AS state, v.form AS form, v.valid_from AS since, v.valid_to AS until";
/** What a revision changed on a device: versions that start with it. */
export const VERSIONS_OF_REVISION =
  "MATCH (:Device {id: $device})-[:HAS_VERSION]->(v:Version) WHERE v.valid_from = $revision RETURN v.state AS state, v.form AS form";

/* ---- service links ---- */
/** Links into a device at a revision, from the services that ever targeted it (TARGETS is short; items are many). */
export const OWNS_INTO_DEVICE =
  "MATCH (:Device {id: $device})<-[:TARGETS]-(s:Service) WITH DISTINCT s MATCH (s)-[l:OWNS]->(i:Item) WHERE l.device = $device AND l.valid_from <= $revision AND l.valid_to > $revision RETURN l.form AS form";
export const DEPENDS_INTO_DEVICE =
  "MATCH (:Device {id: $device})<-[:TARGETS]-(s:Service) WITH DISTINCT s MATCH (s)-[l:DEPENDS_ON]->(i:Item) WHERE l.device = $device AND l.valid_from <= $revision AND l.valid_to > $revision RETURN l.form AS form";
/** Everything one instance holds, over all devices. */
export const OWNS_OF_SERVICE =
  "MATCH (:Service {id: $service})-[l:OWNS]->(i:Item) WHERE l.valid_from <= $revision AND l.valid_to > $revision RETURN l.form AS form";
export const DEPENDS_OF_SERVICE =
  "MATCH (:Service {id: $service})-[l:DEPENDS_ON]->(i:Item) WHERE l.valid_from <= $revision AND l.valid_to > $revision RETURN l.form AS form";
/** Who holds one item. */
export const OWNERS_OF_ITEM =
  "MATCH (i:Item {id: $item})<-[l:OWNS]-(s:Service) WHERE l.valid_from <= $revision AND l.valid_to > $revision RETURN l.form AS form";
export const DEPENDANTS_OF_ITEM =
  "MATCH (i:Item {id: $item})<-[l:DEPENDS_ON]-(s:Service) WHERE l.valid_from <= $revision AND l.valid_to > $revision RETURN l.form AS form";

/* ---- services and definitions: thousands, scanned ---- */
export const SERVICES_AT =
  "MATCH (n:ServiceVersion) WHERE n.valid_from <= $revision AND n.valid_to > $revision RETURN n.service AS service, n.form AS form ORDER BY n.service";
export const SERVICE_AT =
  "MATCH (:Service {id: $service})-[:HAS_VERSION]->(n:ServiceVersion) WHERE n.valid_from <= $revision AND n.valid_to > $revision RETURN n.id AS id, n.form AS form";
export const KNOWN_SERVICES = "UNWIND $ids AS id MATCH (s:Service {id: id}) RETURN s.id AS service";
export const CURRENT_SERVICES =
  "UNWIND $ids AS id MATCH (s:Service {id: id})-[:HAS_VERSION]->(n:ServiceVersion) WHERE n.valid_to = $open RETURN s.id AS service, n.id AS id, n.form AS form";
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
  "MATCH (n:Evidence)-[:EVIDENCE_OF]->(i:Item {id: $item}) RETURN n.revision AS revision, n.form AS form ORDER BY n.revision, n.id";

/* ---- invariants: each returns what must not be ---- */
export const ITEMS_WITH_MANY_CURRENT =
  "MATCH (i:Item)-[:CURRENT]->(v:Version) WITH i, count(v) AS currents WHERE currents > 1 RETURN i.id AS place LIMIT 20";
export const CURRENT_THAT_ENDED =
  "MATCH (i:Item)-[:CURRENT]->(v:Version) WHERE v.valid_to <> $open RETURN v.id AS place LIMIT 20";
export const VERSIONS_WITHOUT_DEVICE =
  "MATCH (v:Version) WHERE NOT EXISTS { MATCH (:Device)-[:HAS_VERSION]->(v) } RETURN v.id AS place LIMIT 20";
export const BROKEN_CHAINS =
  "MATCH (v:Version)-[:PREVIOUS]->(p:Version) WHERE p.valid_to <> v.valid_from RETURN v.id AS place LIMIT 20";
export const OPEN_VERSIONS_NOT_CURRENT =
  "MATCH (v:Version) WHERE v.valid_to = $open AND NOT EXISTS { MATCH (:Item)-[:CURRENT]->(v) } RETURN v.id AS place LIMIT 20";
export const OWNS_AFTER_SERVICE =
  "MATCH (s:Service)-[l:OWNS]->(i:Item) WHERE l.valid_to = $open AND NOT EXISTS { MATCH (s)-[:HAS_VERSION]->(n:ServiceVersion) WHERE n.valid_to = $open } RETURN s.id AS place LIMIT 20";
export const DEPENDS_AFTER_SERVICE =
  "MATCH (s:Service)-[l:DEPENDS_ON]->(i:Item) WHERE l.valid_to = $open AND NOT EXISTS { MATCH (s)-[:HAS_VERSION]->(n:ServiceVersion) WHERE n.valid_to = $open } RETURN s.id AS place LIMIT 20";
export const COUNTS = "MATCH (n) RETURN label(n) AS name, count(*) AS rows ORDER BY name";
/** How big the graph is; kept by the table itself, so it costs nothing. */
export const VERSION_COUNT = "MATCH (v:Version) RETURN count(*) AS rows";
