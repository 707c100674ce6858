import type { DocumentStore } from "../documents/document-store.ts";
import {
  type Change,
  EDGE_COLUMNS,
  type EdgeName,
  NODE_COLUMNS,
  type NodeName,
  type SpanEdge,
  UPDATE_COLUMNS,
  inColumnOrder,
} from "../apply/change.ts";
import type { ItemForm, ServiceForm } from "../apply/forms.ts";
import type { PriorItem, PriorService, ReadPrior } from "../apply/prior.ts";
import type { ParameterRow, PropertyValue } from "../ladybug.ts";
import { MODEL } from "../schema/migrations.ts";
import { loadText } from "../stored-text.ts";

type Row = Record<string, PropertyValue>;

/** The whole graph as rows in memory: what a rebuild replays the journal into before it loads the file in bulk. */
export interface GraphImage {
  apply(changes: readonly Change[]): void;
  readonly readPrior: ReadPrior;
  /** Rows of a table in column order, for COPY. */
  nodes(node: NodeName): readonly ParameterRow[];
  edges(edge: EdgeName): readonly ParameterRow[];
}

export function createImage(documents: DocumentStore): GraphImage {
  const nodes = new Map<NodeName, Map<PropertyValue, Row>>();
  const edges = new Map<EdgeName, Row[]>();
  const current = new Map<string, string>();
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
  table("Meta").set("graph", { id: "graph", model: MODEL, record: 0, digest: "-" });

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

  function update(node: keyof typeof UPDATE_COLUMNS, rows: readonly object[]): void {
    for (const given of rows) {
      const values = inColumnOrder(given, UPDATE_COLUMNS[node]);
      const row = table(node).get(values["id"] ?? "");
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
      if (edge === "current") {
        current.set(String(row["from"]), String(row["to"]));
        continue;
      }
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
            create(change.node, change.rows);
            break;
          case "update":
            update(change.node, change.rows);
            break;
          case "connect":
            connect(change.edge, change.rows);
            break;
          case "close":
            for (const end of change.rows) {
              const key = spanKey(change.edge, end.from, end.to);
              const row = standing.get(key);
              if (row !== undefined) row["valid_to"] = end.valid_to;
              standing.delete(key);
            }
            break;
          case "disconnect":
            for (const { from } of change.rows) current.delete(from);
            break;
        }
      }
    },
    async readPrior(keys) {
      const items = new Map<string, PriorItem>();
      for (const id of keys.items) {
        if (!table("Item").has(id)) continue;
        const version = current.get(id);
        const row = version === undefined ? undefined : table("Version").get(version);
        if (version === undefined || row === undefined) {
          items.set(id, { current: undefined });
          continue;
        }
        const form = row["state"] === "present" ? await parse<ItemForm>(row["form"]) : undefined;
        items.set(id, { current: { version, state: String(row["state"]), form } });
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
        items,
        services,
        definitions,
      };
    },
    nodes: (node) => [...table(node).values()],
    edges: (edge) => (edge === "current" ? [...current].map(([from, to]) => ({ from, to })) : edgeRows(edge)),
  };
}

function isSpan(edge: EdgeName): edge is SpanEdge {
  return edge === "owns" || edge === "dependsOn" || edge === "targets";
}
