/**
 * Every statement that writes, each one constant text over `$rows`. Shapes were chosen by measurement: `UNWIND` with
 * one `MATCH` a node goes through the primary key (a pattern with two free nodes scans), `MERGE` scans always, and
 * `SET`/`CREATE` on matched keys stay fast on a full table.
 */
import type { EdgeName, NodeName, SpanEdge, UpdatableNode } from "../apply/change.ts";

/** New nodes. The caller knows that they are new. */
export const CREATE_NODES: Readonly<Record<NodeName, string>> = {
  Meta: "UNWIND $rows AS r CREATE (:Meta {id: r.id, model: r.model, record: r.record, digest: r.digest})",
  Key: "UNWIND $rows AS r CREATE (:Key {id: r.id, record: r.record, answer: r.answer})",
  Device: "UNWIND $rows AS r CREATE (:Device {id: r.id, name: r.name, state: r.state, form: r.form})",
  Item: "UNWIND $rows AS r CREATE (:Item {id: r.id, device: r.device, path: r.path})",
  Version:
    "UNWIND $rows AS r CREATE (:Version {id: r.id, state: r.state, form: r.form, valid_from: r.valid_from, valid_to: r.valid_to})",
  Revision: "UNWIND $rows AS r CREATE (:Revision {id: r.id, record: r.record, time: r.time, form: r.form})",
  Evidence: "UNWIND $rows AS r CREATE (:Evidence {id: r.id, device: r.device, revision: r.revision, form: r.form})",
  Service: "UNWIND $rows AS r CREATE (:Service {id: r.id})",
  ServiceVersion:
    "UNWIND $rows AS r CREATE (:ServiceVersion {id: r.id, service: r.service, form: r.form, valid_from: r.valid_from, valid_to: r.valid_to})",
  Definition:
    "UNWIND $rows AS r CREATE (:Definition {id: r.id, name: r.name, form: r.form, valid_from: r.valid_from, valid_to: r.valid_to})",
  Plan: "UNWIND $rows AS r CREATE (:Plan {id: r.id, digest: r.digest, state: r.state, opened: r.opened, form: r.form, latest: r.latest})",
  Approval: "UNWIND $rows AS r CREATE (:Approval {id: r.id, plan: r.plan, kind: r.kind, form: r.form})",
  Decision: "UNWIND $rows AS r CREATE (:Decision {id: r.id, form: r.form})",
  Outcome: "UNWIND $rows AS r CREATE (:Outcome {id: r.id, plan: r.plan, form: r.form})",
  Condition: "UNWIND $rows AS r CREATE (:Condition {id: r.id, subject: r.subject, form: r.form})",
};

/** Changed properties of standing nodes. Each returns how many rows it met. */
export const UPDATE_NODES: Readonly<Record<UpdatableNode, string>> = {
  Meta: "UNWIND $rows AS r MATCH (n:Meta {id: r.id}) SET n.record = r.record, n.digest = r.digest RETURN count(*) AS met",
  Device:
    "UNWIND $rows AS r MATCH (n:Device {id: r.id}) SET n.name = r.name, n.state = r.state, n.form = r.form RETURN count(*) AS met",
  Version: "UNWIND $rows AS r MATCH (n:Version {id: r.id}) SET n.valid_to = r.valid_to RETURN count(*) AS met",
  ServiceVersion:
    "UNWIND $rows AS r MATCH (n:ServiceVersion {id: r.id}) SET n.valid_to = r.valid_to RETURN count(*) AS met",
  Definition: "UNWIND $rows AS r MATCH (n:Definition {id: r.id}) SET n.valid_to = r.valid_to RETURN count(*) AS met",
  Plan: "UNWIND $rows AS r MATCH (n:Plan {id: r.id}) SET n.state = r.state, n.latest = r.latest RETURN count(*) AS met",
  Condition: "UNWIND $rows AS r MATCH (n:Condition {id: r.id}) SET n.form = r.form RETURN count(*) AS met",
};

/** New edges between standing nodes. Each returns how many it made, for a row whose node is missing makes none. */
export const CONNECT: Readonly<Record<EdgeName, string>> = {
  deviceVersion:
    "UNWIND $rows AS r MATCH (a:Device {id: r.from}) MATCH (b:Version {id: r.to}) CREATE (a)-[:HAS_VERSION]->(b) RETURN count(*) AS met",
  serviceVersion:
    "UNWIND $rows AS r MATCH (a:Service {id: r.from}) MATCH (b:ServiceVersion {id: r.to}) CREATE (a)-[:HAS_VERSION]->(b) RETURN count(*) AS met",
  current:
    "UNWIND $rows AS r MATCH (a:Item {id: r.from}) MATCH (b:Version {id: r.to}) CREATE (a)-[:CURRENT]->(b) RETURN count(*) AS met",
  previous:
    "UNWIND $rows AS r MATCH (a:Version {id: r.from}) MATCH (b:Version {id: r.to}) CREATE (a)-[:PREVIOUS]->(b) RETURN count(*) AS met",
  owns: "UNWIND $rows AS r MATCH (a:Service {id: r.from}) MATCH (b:Item {id: r.to}) CREATE (a)-[:OWNS {device: r.device, form: r.form, valid_from: r.valid_from, valid_to: r.valid_to}]->(b) RETURN count(*) AS met",
  dependsOn:
    "UNWIND $rows AS r MATCH (a:Service {id: r.from}) MATCH (b:Item {id: r.to}) CREATE (a)-[:DEPENDS_ON {device: r.device, form: r.form, valid_from: r.valid_from, valid_to: r.valid_to}]->(b) RETURN count(*) AS met",
  targets:
    "UNWIND $rows AS r MATCH (a:Service {id: r.from}) MATCH (b:Device {id: r.to}) CREATE (a)-[:TARGETS {valid_from: r.valid_from, valid_to: r.valid_to}]->(b) RETURN count(*) AS met",
  evidenceOf:
    "UNWIND $rows AS r MATCH (a:Evidence {id: r.from}) MATCH (b:Item {id: r.to}) CREATE (a)-[:EVIDENCE_OF]->(b) RETURN count(*) AS met",
};

/** Ends spans. An edge that has ended before keeps its end. */
export const CLOSE: Readonly<Record<SpanEdge, string>> = {
  owns: "UNWIND $rows AS r MATCH (a:Service {id: r.from})-[l:OWNS]->(b:Item {id: r.to}) WHERE l.valid_to > r.valid_to SET l.valid_to = r.valid_to",
  dependsOn:
    "UNWIND $rows AS r MATCH (a:Service {id: r.from})-[l:DEPENDS_ON]->(b:Item {id: r.to}) WHERE l.valid_to > r.valid_to SET l.valid_to = r.valid_to",
  targets:
    "UNWIND $rows AS r MATCH (a:Service {id: r.from})-[l:TARGETS]->(b:Device {id: r.to}) WHERE l.valid_to > r.valid_to SET l.valid_to = r.valid_to",
};

/** The edge to what is no longer current; the version itself stays, behind `PREVIOUS`. */
export const DISCONNECT_CURRENT =
  "UNWIND $rows AS r MATCH (a:Item {id: r.from})-[c:CURRENT]->(b:Version {id: r.to}) DELETE c";

/** Bulk load into fresh tables: five times the rate of CREATE, only for a file that nobody reads yet. */
export const COPY_NODES: Readonly<Record<NodeName, string>> = {
  Meta: "COPY Meta FROM (UNWIND $rows AS r RETURN r.id, r.model, r.record, r.digest)",
  Key: "COPY Key FROM (UNWIND $rows AS r RETURN r.id, r.record, r.answer)",
  Device: "COPY Device FROM (UNWIND $rows AS r RETURN r.id, r.name, r.state, r.form)",
  Item: "COPY Item FROM (UNWIND $rows AS r RETURN r.id, r.device, r.path)",
  Version: "COPY Version FROM (UNWIND $rows AS r RETURN r.id, r.state, r.form, r.valid_from, r.valid_to)",
  Revision: "COPY Revision FROM (UNWIND $rows AS r RETURN r.id, r.record, r.time, r.form)",
  Evidence: "COPY Evidence FROM (UNWIND $rows AS r RETURN r.id, r.device, r.revision, r.form)",
  Service: "COPY Service FROM (UNWIND $rows AS r RETURN r.id)",
  ServiceVersion:
    "COPY ServiceVersion FROM (UNWIND $rows AS r RETURN r.id, r.service, r.form, r.valid_from, r.valid_to)",
  Definition: "COPY Definition FROM (UNWIND $rows AS r RETURN r.id, r.name, r.form, r.valid_from, r.valid_to)",
  Plan: "COPY Plan FROM (UNWIND $rows AS r RETURN r.id, r.digest, r.state, r.opened, r.form, r.latest)",
  Approval: "COPY Approval FROM (UNWIND $rows AS r RETURN r.id, r.plan, r.kind, r.form)",
  Decision: "COPY Decision FROM (UNWIND $rows AS r RETURN r.id, r.form)",
  Outcome: "COPY Outcome FROM (UNWIND $rows AS r RETURN r.id, r.plan, r.form)",
  Condition: "COPY Condition FROM (UNWIND $rows AS r RETURN r.id, r.subject, r.form)",
};

export const COPY_EDGES: Readonly<Record<EdgeName, string>> = {
  deviceVersion: "COPY HAS_VERSION FROM (UNWIND $rows AS r RETURN r.from, r.to) (from='Device', to='Version')",
  serviceVersion: "COPY HAS_VERSION FROM (UNWIND $rows AS r RETURN r.from, r.to) (from='Service', to='ServiceVersion')",
  current: "COPY CURRENT FROM (UNWIND $rows AS r RETURN r.from, r.to)",
  previous: "COPY PREVIOUS FROM (UNWIND $rows AS r RETURN r.from, r.to)",
  owns: "COPY OWNS FROM (UNWIND $rows AS r RETURN r.from, r.to, r.device, r.form, r.valid_from, r.valid_to)",
  dependsOn: "COPY DEPENDS_ON FROM (UNWIND $rows AS r RETURN r.from, r.to, r.device, r.form, r.valid_from, r.valid_to)",
  targets: "COPY TARGETS FROM (UNWIND $rows AS r RETURN r.from, r.to, r.valid_from, r.valid_to)",
  evidenceOf: "COPY EVIDENCE_OF FROM (UNWIND $rows AS r RETURN r.from, r.to)",
};
