/**
 * Is the graph what the journal makes of it? Every row of the image is looked up by key in the graph, a batch at a time,
 * in whatever order; then the tables are counted, and only one that has too many rows is searched for them.
 */
import { EDGE_COLUMNS, type EdgeName, NODE_COLUMNS, type NodeName } from "../apply/change.ts";
import { type ParameterRow, type PropertyValue, type ResultRow, type Run, batches } from "../ladybug.ts";
import type { GraphImage } from "../start/image.ts";
import { EDGE_COUNTS, EDGE_LABELS, EDGE_ROWS, NODE_COUNTS, NODE_ROWS } from "../statements/checks.ts";
import { type CheckFinding, MAX_FINDINGS } from "./finding.ts";

const NODES = Object.keys(NODE_COLUMNS) as readonly NodeName[];
const EDGES = Object.keys(EDGE_COLUMNS) as readonly EdgeName[];

/** Keys at which graph and image differed when they were looked at: of nodes, and of the nodes that edges start from. */
export interface Suspects {
  readonly nodes: ReadonlyMap<NodeName, ReadonlySet<PropertyValue>>;
  readonly edges: ReadonlyMap<EdgeName, ReadonlySet<PropertyValue>>;
}

/** Compares every row of the image. While the graph is written, a suspect may just have changed. */
export async function findSuspects(read: Run, image: GraphImage): Promise<Suspects> {
  const nodes = new Map<NodeName, ReadonlySet<PropertyValue>>();
  for (const node of NODES) nodes.set(node, await suspectNodes(read, node, image.nodes(node)));
  const edges = new Map<EdgeName, ReadonlySet<PropertyValue>>();
  for (const edge of EDGES) edges.set(edge, await suspectSources(read, edge, image.edges(edge)));
  return { nodes, edges };
}

/** What of the suspects is true, and what the graph holds beyond the image. Needs: nothing is written meanwhile. */
export async function confirmSuspects(
  read: Run,
  image: GraphImage,
  suspects: Suspects,
): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  const nodeCounts = new Map((await read(NODE_COUNTS)).map((row) => [String(row["name"]), Number(row["rows"])]));
  for (const node of NODES) {
    const rows = image.nodes(node);
    const keys = new Set(suspects.nodes.get(node));
    if ((nodeCounts.get(node) ?? 0) !== rows.length)
      for (const row of await read(NODE_ROWS[node].keys)) keys.add(keyOf(row, "id"));
    if (keys.size > 0) findings.push(...(await differentNodes(read, node, rows, keys)).slice(0, MAX_FINDINGS));
  }
  const edgeCounts = await countEdges(read);
  for (const edge of EDGES) {
    const rows = image.edges(edge);
    const sources = new Set(suspects.edges.get(edge));
    if ((edgeCounts.get(edge) ?? 0) !== rows.length)
      for (const row of await read(NODE_ROWS[EDGE_LABELS[edge].source].keys)) sources.add(keyOf(row, "id"));
    if (sources.size > 0) findings.push(...(await differentEdges(read, edge, rows, sources)).slice(0, MAX_FINDINGS));
  }
  return findings;
}

function keyOf(row: ParameterRow | ResultRow, column: string): PropertyValue {
  const key = row[column];
  if (key === undefined || key === null) throw new Error(`a row lacks its ${column}`);
  return key;
}

/* ---- nodes ---- */

async function suspectNodes(
  read: Run,
  node: NodeName,
  rows: readonly ParameterRow[],
): Promise<ReadonlySet<PropertyValue>> {
  const suspects = new Set<PropertyValue>();
  for (const batch of batches(rows)) {
    const found = await nodeRows(
      read,
      node,
      batch.map((row) => keyOf(row, "id")),
    );
    for (const row of batch) {
      const key = keyOf(row, "id");
      if (!equalColumns(NODE_COLUMNS[node], row, found.get(key))) suspects.add(key);
    }
  }
  return suspects;
}

async function differentNodes(
  read: Run,
  node: NodeName,
  rows: readonly ParameterRow[],
  keys: ReadonlySet<PropertyValue>,
): Promise<readonly CheckFinding[]> {
  const expected = new Map(rows.map((row) => [keyOf(row, "id"), row]));
  const findings: CheckFinding[] = [];
  for (const batch of batches([...keys])) {
    const found = await nodeRows(read, node, batch);
    for (const key of batch) {
      const place = `${node} ${String(key)}`;
      const row = expected.get(key);
      if (row === undefined) {
        if (found.has(key)) findings.push({ code: "row-extra", place });
      } else if (!found.has(key)) {
        findings.push({ code: "row-missing", place });
      } else if (!equalColumns(NODE_COLUMNS[node], row, found.get(key))) {
        findings.push({ code: "row-differs", place });
      }
    }
  }
  return findings;
}

async function nodeRows(
  read: Run,
  node: NodeName,
  ids: readonly PropertyValue[],
): Promise<ReadonlyMap<PropertyValue, ResultRow>> {
  return new Map((await read(NODE_ROWS[node].rows, { ids })).map((row) => [keyOf(row, "id"), row]));
}

function equalColumns(columns: readonly string[], expected: ParameterRow, found: ResultRow | undefined): boolean {
  return found !== undefined && columns.every((column) => expected[column] === found[column]);
}

/* ---- edges: several may join the same two nodes, so those of one source are compared as a bag of texts ---- */

/** How often each text is there. */
type Bag = ReadonlyMap<string, number>;

async function suspectSources(
  read: Run,
  edge: EdgeName,
  rows: readonly ParameterRow[],
): Promise<ReadonlySet<PropertyValue>> {
  const expected = expectedBags(edge, rows);
  const suspects = new Set<PropertyValue>();
  for await (const [source, found] of foundBags(read, edge, expected.keys()))
    if (differentBag(edge, expected.get(source) ?? new Map(), found).length > 0) suspects.add(source);
  return suspects;
}

async function differentEdges(
  read: Run,
  edge: EdgeName,
  rows: readonly ParameterRow[],
  sources: ReadonlySet<PropertyValue>,
): Promise<readonly CheckFinding[]> {
  const expected = expectedBags(edge, rows);
  const findings: CheckFinding[] = [];
  for await (const [source, found] of foundBags(read, edge, sources))
    findings.push(...differentBag(edge, expected.get(source) ?? new Map(), found));
  return findings;
}

async function countEdges(read: Run): Promise<ReadonlyMap<EdgeName, number>> {
  const counts = await read(EDGE_COUNTS);
  return new Map(
    EDGES.map((edge) => {
      const { source, name } = EDGE_LABELS[edge];
      const found = counts.find((row) => row["source"] === source && row["name"] === name);
      return [edge, Number(found?.["rows"] ?? 0)];
    }),
  );
}

function expectedBags(edge: EdgeName, rows: readonly ParameterRow[]): ReadonlyMap<PropertyValue, Bag> {
  const columns: readonly string[] = EDGE_COLUMNS[edge];
  return bagsOf(rows, (row) => [keyOf(row, "from"), JSON.stringify(columns.map((column) => row[column]))]);
}

/** What the graph has of each of these sources. */
async function* foundBags(
  read: Run,
  edge: EdgeName,
  sources: Iterable<PropertyValue>,
): AsyncGenerator<readonly [PropertyValue, Bag]> {
  const { rows, by } = EDGE_ROWS[edge];
  const [, , ...properties] = EDGE_COLUMNS[edge];
  const bagged = (found: readonly ResultRow[]) =>
    bagsOf(found, (row) => [
      keyOf(row, "source"),
      JSON.stringify([row["source"], row["target"], ...properties.map((column) => row[column])]),
    ]);
  const whole = by === "table" ? bagged(await read(rows)) : undefined;
  for (const source of sources) {
    const bags = whole ?? bagged(await read(rows, { id: source }));
    yield [source, bags.get(source) ?? new Map()];
  }
}

function bagsOf<R>(
  rows: readonly R[],
  placed: (row: R) => readonly [PropertyValue, string],
): ReadonlyMap<PropertyValue, Bag> {
  const bags = new Map<PropertyValue, Map<string, number>>();
  for (const row of rows) {
    const [source, text] = placed(row);
    const bag = bags.get(source) ?? new Map<string, number>();
    bags.set(source, bag);
    bag.set(text, (bag.get(text) ?? 0) + 1);
  }
  return bags;
}

/** An edge whose ends are right and whose properties are not is one finding, not two. */
function differentBag(edge: EdgeName, expected: Bag, found: Bag): readonly CheckFinding[] {
  const missing = without(expected, found).map(endsOf);
  const extra = without(found, expected).map(endsOf);
  const differs = missing.filter((ends) => extra.includes(ends));
  const findings = (code: CheckFinding["code"], ends: readonly string[]) =>
    ends.map((each): CheckFinding => ({ code, place: `${edge} ${each}` }));
  return [
    ...findings("row-differs", differs),
    ...findings(
      "row-missing",
      missing.filter((ends) => !differs.includes(ends)),
    ),
    ...findings(
      "row-extra",
      extra.filter((ends) => !differs.includes(ends)),
    ),
  ];
}

/** The texts that are in a bag more often than in another. */
function without(bag: Bag, other: Bag): readonly string[] {
  return [...bag].filter(([text, count]) => count > (other.get(text) ?? 0)).map(([text]) => text);
}

function endsOf(text: string): string {
  const [source, target] = JSON.parse(text) as readonly PropertyValue[];
  return `${String(source)} ${String(target)}`;
}
