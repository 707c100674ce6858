import type { DocumentStore } from "../documents/document-store.ts";
import {
  type Change,
  EDGE_COLUMNS,
  type EdgeName,
  NODE_COLUMNS,
  type NodeName,
  type SpanEdge,
  UPDATE_COLUMNS,
  type UpdatableNode,
} from "../apply/change.ts";
import type { ItemForm, ServiceForm } from "../apply/forms.ts";
import { type PriorItem, type PriorService, type ReadPrior, UNSTARTED_STATES } from "../apply/prior.ts";
import type { ParameterRow, PropertyValue } from "../ladybug.ts";
import { MODEL } from "../schema/migrations.ts";
import { inColumnOrder } from "../statements/batch-statement.ts";
import { loadText } from "../stored-text.ts";
import { createImageItems } from "./image-items.ts";

type Row = Record<string, PropertyValue>;

/** The whole graph as rows in memory: what a rebuild replays the journal into before it loads the file in bulk. */
export interface GraphImage {
  apply(changes: readonly Change[]): void;
  readonly readPrior: ReadPrior;
  /** Rows of a table in column order, for COPY. */
  nodes(node: NodeName): readonly ParameterRow[];
  edges(edge: EdgeName): readonly ParameterRow[];
  /** The same one by one: where edges follow from rows, no list of a million is made of them. */
  eachEdge(edge: EdgeName): Iterable<ParameterRow>;
}

/** What an image starts from: the snapshot that was loaded into it, or nothing. */
export interface ImageBase {
  readonly record: number;
  readonly digest: string;
  /** Revision before which history was pruned, and its time; 0 and `-` where none was. */
  readonly pruned: number;
  readonly prunedTime: string;
}

const FROM_FIRST_RECORD: ImageBase = { record: 0, digest: "-", pruned: 0, prunedTime: "-" };

export function createImage(documents: DocumentStore, base: ImageBase = FROM_FIRST_RECORD): GraphImage {
  const nodes = new Map<NodeName, Map<PropertyValue, Row>>();
  const edges = new Map<EdgeName, Row[]>();
  const items = createImageItems();
  const standing = new Map<string, Row>();
  const serviceOpen = new Map<string, string>();
  const definitionOpen = new Map<string, string>();

  const table = (node: NodeName): Map<PropertyValue, Row> => {
    const known = nodes.get(node) ?? new Map<PropertyValue, Row>();
    nodes.set(node, known);
    return known;
  };
  const edgeRows = (edge: EdgeName): Row[] => {
    const known = edges.get(edge) ?? [];
    edges.set(edge, known);
    return known;
  };
  const spanKey = (edge: SpanEdge, from: PropertyValue, to: PropertyValue) => `${edge} ${String(from)} ${String(to)}`;
  table("Meta").set("graph", {
    id: "graph",
    model: MODEL,
    record: base.record,
    digest: base.digest,
    base: base.record,
    pruned: base.pruned,
    pruned_time: base.prunedTime,
  });

  function create(node: NodeName, rows: readonly object[]): void {
    const known = table(node);
    for (const given of rows) {
      const row: Row = inColumnOrder(given, NODE_COLUMNS[node]);
      const { id } = row;
      if (id === undefined || known.has(id)) throw new Error(`${node} ${String(id)} stands already`);
      known.set(id, row);
      if (node === "ServiceVersion") serviceOpen.set(String(row["service"]), String(id));
      if (node === "Definition") definitionOpen.set(String(row["name"]), String(id));
    }
  }

  function update(node: UpdatableNode, rows: readonly object[]): void {
    for (const given of rows) {
      const values = inColumnOrder(given, UPDATE_COLUMNS[node]);
      const row = table(node === "DeviceRevision" ? "Device" : node).get(values["id"] ?? "");
      if (row === undefined) throw new Error(`${node} ${String(values["id"])} is missing`);
      Object.assign(row, values);
      if (node === "ServiceVersion") serviceOpen.delete(String(row["service"]));
      if (node === "Definition") definitionOpen.delete(String(row["name"]));
    }
  }

  function connect(edge: EdgeName, rows: readonly object[]): void {
    const known = edgeRows(edge);
    for (const given of rows) {
      const row: Row = inColumnOrder(given, EDGE_COLUMNS[edge]);
      known.push(row);
      if (isSpan(edge)) standing.set(spanKey(edge, row["from"] ?? "", row["to"] ?? ""), row);
    }
  }

  async function parse<T>(text: PropertyValue | undefined): Promise<T> {
    return JSON.parse(await loadText(String(text), documents)) as T;
  }

  return {
    apply(changes) {
      for (const change of changes) {
        switch (change.kind) {
          case "create":
            if (change.node === "Item") items.addItems(change.rows);
            else if (change.node === "Version") items.addVersions(change.rows);
            else create(change.node, change.rows);
            break;
          case "update":
            if (change.node === "Item") items.renewItems(change.rows);
            else if (change.node === "Version") items.endVersions(change.rows);
            else update(change.node, change.rows);
            break;
          case "connect":
            // Which device a version is of follows from its item.
            if (change.edge !== "deviceVersion") connect(change.edge, change.rows);
            break;
          case "close":
            for (const end of change.rows) {
              const key = spanKey(change.edge, end.from, end.to);
              const row = standing.get(key);
              if (row !== undefined) row["valid_to"] = end.valid_to;
              standing.delete(key);
            }
            break;
        }
      }
    },
    async readPrior(keys) {
      const priorItems = new Map<string, PriorItem>();
      for (const id of keys.items) {
        if (!items.has(id)) continue;
        const version = items.newest(id);
        if (version === undefined) {
          priorItems.set(id, { current: undefined });
          continue;
        }
        const { state, form, valid_from: revision } = version;
        priorItems.set(id, {
          current: {
            revision: Number(revision),
            state: String(state),
            form: state === "present" ? await parse<ItemForm>(form) : undefined,
          },
        });
      }
      const services = new Map<string, PriorService>();
      for (const name of keys.services) {
        if (!table("Service").has(name)) continue;
        const version = serviceOpen.get(name);
        const row = version === undefined ? undefined : table("ServiceVersion").get(version);
        services.set(name, {
          current:
            version === undefined || row === undefined
              ? undefined
              : { version, form: await parse<ServiceForm>(row["form"]) },
        });
      }
      const definitions = new Map<string, string>();
      for (const name of keys.definitions) {
        const open = definitionOpen.get(name);
        if (open !== undefined) definitions.set(name, open);
      }
      return {
        devices: new Set(keys.devices.filter((id) => table("Device").has(id))),
        conditions: new Set(keys.conditions.filter((id) => table("Condition").has(id))),
        items: priorItems,
        services,
        definitions,
        openPlans:
          keys.plans === "none"
            ? []
            : [...table("Plan").values()]
                .filter((row) => UNSTARTED_STATES.includes(String(row["state"])))
                .map((row) => String(row["id"]))
                .sort(),
      };
    },
    nodes(node) {
      if (node === "Item") return items.items;
      return node === "Version" ? items.versions : [...table(node).values()];
    },
    edges: (edge) => (edge === "deviceVersion" ? [...items.deviceVersions()] : edgeRows(edge)),
    eachEdge: (edge) => (edge === "deviceVersion" ? items.deviceVersions() : edgeRows(edge)),
  };
}

function isSpan(edge: EdgeName): edge is SpanEdge {
  return edge === "owns" || edge === "dependsOn" || edge === "targets";
}
