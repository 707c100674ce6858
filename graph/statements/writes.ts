/**
 * Every statement that writes, each one constant text. Shapes were chosen by measurement: `UNWIND` with one `MATCH` a
 * node goes through the primary key, where the key is a name (an expression in braces scans, hence `WITH`; two names
 * made by `WITH` scan too, hence edges take structs); a pattern with an edge after `UNWIND` scans the whole edge table;
 * `MERGE` scans always; `SET`/`CREATE` on matched keys stay fast on a full table. Otherwise tables with a row for each
 * item take their rows as lines.
 */
import type { EdgeName, NodeName, SpanEdge, UpdatableNode } from "../apply/change.ts";
import type { BatchStatement } from "./batch-statement.ts";

const structs = (statement: string): BatchStatement => ({ statement, rows: "structs" });
const lines = (statement: string): BatchStatement => ({ statement, rows: "lines" });

/** New nodes. The caller knows that they are new. */
export const CREATE_NODES: Readonly<Record<NodeName, BatchStatement>> = {
  Meta: structs(
    "UNWIND $rows AS r CREATE (:Meta {id: r.id, model: r.model, record: r.record, digest: r.digest, base: r.base, pruned: r.pruned, pruned_time: r.pruned_time})",
  ),
  Key: structs("UNWIND $rows AS r CREATE (:Key {id: r.id, record: r.record, answer: r.answer})"),
  Device: structs(
    "UNWIND $rows AS r CREATE (:Device {id: r.id, name: r.name, state: r.state, form: r.form, revision: r.revision})",
  ),
  Item: lines(
    "UNWIND string_split($rows, '\u001e') AS r CREATE (:Item {id: split_part(r, '\u001f', 1), device: split_part(r, '\u001f', 2), path: split_part(r, '\u001f', 3), current: cast(split_part(r, '\u001f', 4), 'INT64')})",
  ),
  Version: lines(
    "UNWIND string_split($rows, '\u001e') AS r CREATE (:Version {id: split_part(r, '\u001f', 1), state: split_part(r, '\u001f', 2), form: split_part(r, '\u001f', 3), valid_from: cast(split_part(r, '\u001f', 4), 'INT64'), valid_to: cast(split_part(r, '\u001f', 5), 'INT64'), previous: cast(split_part(r, '\u001f', 6), 'INT64')})",
  ),
  Revision: structs("UNWIND $rows AS r CREATE (:Revision {id: r.id, record: r.record, time: r.time, form: r.form})"),
  Evidence: structs(
    "UNWIND $rows AS r CREATE (:Evidence {id: r.id, device: r.device, revision: r.revision, form: r.form})",
  ),
  Service: structs("UNWIND $rows AS r CREATE (:Service {id: r.id})"),
  ServiceVersion: structs(
    "UNWIND $rows AS r CREATE (:ServiceVersion {id: r.id, service: r.service, form: r.form, valid_from: r.valid_from, valid_to: r.valid_to})",
  ),
  Definition: structs(
    "UNWIND $rows AS r CREATE (:Definition {id: r.id, name: r.name, form: r.form, valid_from: r.valid_from, valid_to: r.valid_to})",
  ),
  Plan: structs(
    "UNWIND $rows AS r CREATE (:Plan {id: r.id, digest: r.digest, state: r.state, opened: r.opened, form: r.form, latest: r.latest})",
  ),
  Approval: structs("UNWIND $rows AS r CREATE (:Approval {id: r.id, plan: r.plan, kind: r.kind, form: r.form})"),
  Decision: structs("UNWIND $rows AS r CREATE (:Decision {id: r.id, form: r.form})"),
  Outcome: structs("UNWIND $rows AS r CREATE (:Outcome {id: r.id, plan: r.plan, form: r.form})"),
  Condition: structs("UNWIND $rows AS r CREATE (:Condition {id: r.id, subject: r.subject, form: r.form})"),
};

/** Changed properties of standing nodes. Each returns how many rows it met. */
export const UPDATE_NODES: Readonly<Record<UpdatableNode, BatchStatement>> = {
  Meta: structs(
    "UNWIND $rows AS r MATCH (n:Meta {id: r.id}) SET n.record = r.record, n.digest = r.digest RETURN count(*) AS met",
  ),
  Device: structs(
    "UNWIND $rows AS r MATCH (n:Device {id: r.id}) SET n.name = r.name, n.state = r.state, n.form = r.form RETURN count(*) AS met",
  ),
  DeviceRevision: structs(
    "UNWIND $rows AS r MATCH (n:Device {id: r.id}) SET n.revision = r.revision RETURN count(*) AS met",
  ),
  Item: lines(
    "UNWIND string_split($rows, '\u001e') AS r WITH split_part(r, '\u001f', 1) AS id, cast(split_part(r, '\u001f', 2), 'INT64') AS current MATCH (n:Item {id: id}) SET n.current = current RETURN count(*) AS met",
  ),
  Version: lines(
    "UNWIND string_split($rows, '\u001e') AS r WITH split_part(r, '\u001f', 1) AS id, cast(split_part(r, '\u001f', 2), 'INT64') AS valid_to MATCH (n:Version {id: id}) SET n.valid_to = valid_to RETURN count(*) AS met",
  ),
  ServiceVersion: structs(
    "UNWIND $rows AS r MATCH (n:ServiceVersion {id: r.id}) SET n.valid_to = r.valid_to RETURN count(*) AS met",
  ),
  Definition: structs(
    "UNWIND $rows AS r MATCH (n:Definition {id: r.id}) SET n.valid_to = r.valid_to RETURN count(*) AS met",
  ),
  Plan: structs(
    "UNWIND $rows AS r MATCH (n:Plan {id: r.id}) SET n.state = r.state, n.latest = r.latest RETURN count(*) AS met",
  ),
  Condition: structs("UNWIND $rows AS r MATCH (n:Condition {id: r.id}) SET n.form = r.form RETURN count(*) AS met"),
};

/** New edges between standing nodes. Each returns how many it made, for a row whose node is missing makes none. */
export const CONNECT: Readonly<Record<EdgeName, BatchStatement>> = {
  deviceVersion: structs(
    "UNWIND $rows AS r MATCH (a:Device {id: r.from}) MATCH (b:Version {id: r.to}) CREATE (a)-[:HAS_VERSION]->(b) RETURN count(*) AS met",
  ),
  serviceVersion: structs(
    "UNWIND $rows AS r MATCH (a:Service {id: r.from}) MATCH (b:ServiceVersion {id: r.to}) CREATE (a)-[:HAS_VERSION]->(b) RETURN count(*) AS met",
  ),
  owns: structs(
    "UNWIND $rows AS r MATCH (a:Service {id: r.from}) MATCH (b:Item {id: r.to}) CREATE (a)-[:OWNS {device: r.device, form: r.form, valid_from: r.valid_from, valid_to: r.valid_to}]->(b) RETURN count(*) AS met",
  ),
  dependsOn: structs(
    "UNWIND $rows AS r MATCH (a:Service {id: r.from}) MATCH (b:Item {id: r.to}) CREATE (a)-[:DEPENDS_ON {device: r.device, form: r.form, valid_from: r.valid_from, valid_to: r.valid_to}]->(b) RETURN count(*) AS met",
  ),
  targets: structs(
    "UNWIND $rows AS r MATCH (a:Service {id: r.from}) MATCH (b:Device {id: r.to}) CREATE (a)-[:TARGETS {valid_from: r.valid_from, valid_to: r.valid_to}]->(b) RETURN count(*) AS met",
  ),
  evidenceOf: structs(
    "UNWIND $rows AS r MATCH (a:Evidence {id: r.from}) MATCH (b:Item {id: r.to}) CREATE (a)-[:EVIDENCE_OF]->(b) RETURN count(*) AS met",
  ),
};

/**
 * Ends spans: of what leads from one service to some items or devices. An edge that has ended before keeps its end. The
 * cost follows the edges of that service; the same for many services at once (`UNWIND`) scans the whole table.
 */
export const CLOSE: Readonly<Record<SpanEdge, string>> = {
  owns: "MATCH (s:Service {id: $from})-[l:OWNS]->(b:Item) WHERE l.valid_to > $valid_to AND b.id IN $to HINT (s JOIN l) JOIN b SET l.valid_to = $valid_to",
  dependsOn:
    "MATCH (s:Service {id: $from})-[l:DEPENDS_ON]->(b:Item) WHERE l.valid_to > $valid_to AND b.id IN $to HINT (s JOIN l) JOIN b SET l.valid_to = $valid_to",
  targets:
    "MATCH (s:Service {id: $from})-[l:TARGETS]->(b:Device) WHERE l.valid_to > $valid_to AND b.id IN $to HINT (s JOIN l) JOIN b SET l.valid_to = $valid_to",
};

/** Bulk load into fresh tables: five times the rate of CREATE, only for a file that nobody reads yet. */
export const COPY_NODES: Readonly<Record<NodeName, BatchStatement>> = {
  Meta: structs(
    "COPY Meta FROM (UNWIND $rows AS r RETURN r.id, r.model, r.record, r.digest, r.base, r.pruned, r.pruned_time)",
  ),
  Key: structs("COPY Key FROM (UNWIND $rows AS r RETURN r.id, r.record, r.answer)"),
  Device: structs("COPY Device FROM (UNWIND $rows AS r RETURN r.id, r.name, r.state, r.form, r.revision)"),
  Item: lines(
    "COPY Item FROM (UNWIND string_split($rows, '\u001e') AS r RETURN split_part(r, '\u001f', 1), split_part(r, '\u001f', 2), split_part(r, '\u001f', 3), cast(split_part(r, '\u001f', 4), 'INT64'))",
  ),
  Version: lines(
    "COPY Version FROM (UNWIND string_split($rows, '\u001e') AS r RETURN split_part(r, '\u001f', 1), split_part(r, '\u001f', 2), split_part(r, '\u001f', 3), cast(split_part(r, '\u001f', 4), 'INT64'), cast(split_part(r, '\u001f', 5), 'INT64'), cast(split_part(r, '\u001f', 6), 'INT64'))",
  ),
  Revision: structs("COPY Revision FROM (UNWIND $rows AS r RETURN r.id, r.record, r.time, r.form)"),
  Evidence: structs("COPY Evidence FROM (UNWIND $rows AS r RETURN r.id, r.device, r.revision, r.form)"),
  Service: structs("COPY Service FROM (UNWIND $rows AS r RETURN r.id)"),
  ServiceVersion: structs(
    "COPY ServiceVersion FROM (UNWIND $rows AS r RETURN r.id, r.service, r.form, r.valid_from, r.valid_to)",
  ),
  Definition: structs("COPY Definition FROM (UNWIND $rows AS r RETURN r.id, r.name, r.form, r.valid_from, r.valid_to)"),
  Plan: structs("COPY Plan FROM (UNWIND $rows AS r RETURN r.id, r.digest, r.state, r.opened, r.form, r.latest)"),
  Approval: structs("COPY Approval FROM (UNWIND $rows AS r RETURN r.id, r.plan, r.kind, r.form)"),
  Decision: structs("COPY Decision FROM (UNWIND $rows AS r RETURN r.id, r.form)"),
  Outcome: structs("COPY Outcome FROM (UNWIND $rows AS r RETURN r.id, r.plan, r.form)"),
  Condition: structs("COPY Condition FROM (UNWIND $rows AS r RETURN r.id, r.subject, r.form)"),
};

/** The same for edges, once both their ends are loaded. */
export const COPY_EDGES: Readonly<Record<EdgeName, BatchStatement>> = {
  deviceVersion: lines(
    "COPY HAS_VERSION FROM (UNWIND string_split($rows, '\u001e') AS r RETURN split_part(r, '\u001f', 1), split_part(r, '\u001f', 2)) (from='Device', to='Version')",
  ),
  serviceVersion: structs(
    "COPY HAS_VERSION FROM (UNWIND $rows AS r RETURN r.from, r.to) (from='Service', to='ServiceVersion')",
  ),
  owns: structs("COPY OWNS FROM (UNWIND $rows AS r RETURN r.from, r.to, r.device, r.form, r.valid_from, r.valid_to)"),
  dependsOn: structs(
    "COPY DEPENDS_ON FROM (UNWIND $rows AS r RETURN r.from, r.to, r.device, r.form, r.valid_from, r.valid_to)",
  ),
  targets: structs("COPY TARGETS FROM (UNWIND $rows AS r RETURN r.from, r.to, r.valid_from, r.valid_to)"),
  evidenceOf: structs("COPY EVIDENCE_OF FROM (UNWIND $rows AS r RETURN r.from, r.to)"),
};
