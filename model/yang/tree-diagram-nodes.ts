/**
 * The lines of a tree diagram: a node, what hangs below it, aligned among its siblings (RFC 8340 section 2, spaced as
 * pyang does).
 */
import { type DraftNode, isShorthandCase, propertyOf, propertyText } from "./draft-node.ts";
import { statusOf } from "./node-properties.ts";
import { argumentOf, findChild, findChildren, splitName } from "./statement.ts";

/** What stands around the nodes: it decides flags where `config` says nothing. */
export type DiagramPlace = "data" | "input" | "output" | "notification";

export interface DiagramBlock {
  /** Of the module shown; nodes of others are written with their module's prefix. */
  readonly module: string;
  readonly place: DiagramPlace;
  /** What `config` is above the nodes; undefined in operations and notifications, which ignore it. */
  readonly config: boolean | undefined;
  /** What precedes every line: blanks, and `|` below nodes with more siblings to come. */
  readonly margin: string;
  /** Columns for the names; measured where undefined. */
  readonly width: number | undefined;
}

const STATUS_SIGNS = { current: "+", deprecated: "x", obsolete: "o" } as const;
/** Columns a level: types below choices and cases line up with those beside them, whose names stand further left. */
const INDENT = 3;

/** Appends the lines of `nodes` and all below them. */
export function drawNodes(nodes: readonly DraftNode[], block: DiagramBlock, lines: string[]): void {
  const last = nodes.at(-1);
  const lastIsEmpty = last?.keyword === "output" && isEmptyBody(last);
  const width = block.width ?? widthOf(nodes, block.module);
  for (const node of nodes) {
    if (isEmptyBody(node)) continue;
    const isLast = node === last || lastIsEmpty;
    const place = node.keyword === "input" || node.keyword === "output" ? node.keyword : block.place;
    const config = configBelow(node, block.config);
    const below = { ...block, place, config, margin: `${block.margin}${isLast ? "   " : "  |"}` };
    lines.push(`${block.margin}  ${lineOf(node, { ...below, width })}`);
    const isChoiceOrCase = node.keyword === "choice" || node.keyword === "case";
    drawNodes(shownChildren(node), { ...below, width: isChoiceOrCase ? width - INDENT : undefined }, lines);
  }
}

/** An operation has input and output always; one without parameters is not drawn. */
function isEmptyBody(node: DraftNode): boolean {
  return (node.keyword === "input" || node.keyword === "output") && shownChildren(node).length === 0;
}

/** Those that the module set has: nodes which a feature or a deviation takes away are not drawn. */
export function shownChildren(node: DraftNode): readonly DraftNode[] {
  return [...node.children.values()].filter((child) => child.enabled);
}

/**
 * `config` of a node, for what is below it; undefined in operations and notifications, where it is ignored (RFC 7950
 * section 7.21.1). What a grouping calls state is drawn as such even there; pyang also draws its `config true` as rw.
 */
export function configOf(node: DraftNode): boolean | undefined {
  return configBelow(node, node.parent === undefined ? true : configOf(node.parent));
}

function configBelow(node: DraftNode, above: boolean | undefined): boolean | undefined {
  if (node.keyword === "rpc" || node.keyword === "action" || node.keyword === "notification") return undefined;
  return propertyText(node, "config") === "false" ? false : above;
}

/** Choices and cases count by what they hold, since their own lines have nothing to align. */
function widthOf(nodes: readonly DraftNode[], module: string): number {
  let width = 0;
  for (const node of nodes) {
    const isChoiceOrCase = node.keyword === "choice" || node.keyword === "case";
    const own = isChoiceOrCase ? INDENT + widthOf(shownChildren(node), module) : nameOf(node, module).length;
    if (own > width) width = own;
  }
  return width;
}

function nameOf(node: DraftNode, module: string): string {
  return node.module.name === module ? node.name : `${node.module.prefix}:${node.name}`;
}

function lineOf(node: DraftNode, block: DiagramBlock & { readonly width: number }): string {
  const name = nameOf(node, block.module);
  // A case that is written as its only node has that node's status.
  const [only] = isShorthandCase(node) ? node.children.values() : [];
  const status = `${STATUS_SIGNS[statusOf(only ?? node)]}--`;
  const start = `${status}${flagsOf(node, block)}`;
  const features = featuresOf(node);
  switch (node.keyword) {
    case "case":
      return `${status}:(${name})${features}`;
    case "choice":
      return `${start} (${name})${isOptional(node) ? "?" : ""}${features}`;
    case "container":
      return `${start} ${name}${propertyOf(node, "presence") === undefined ? "" : "!"}${features}`;
    case "list":
      return `${start} ${name}* [${(propertyText(node, "key") ?? "").replace(/\s+/g, " ")}]${features}`;
    default: {
      const type = typeOf(node);
      const marked = `${name}${node.keyword === "leaf-list" ? "*" : mayBeAbsent(node) ? "?" : ""}`;
      return `${start} ${type === undefined ? marked : `${marked.padEnd(block.width + 1)}   ${type}`}${features}`;
    }
  }
}

/** Blank where neither `config` nor the place tells: pyang leaves it so, in notifications of lists for instance. */
function flagsOf(node: DraftNode, { place, config }: DiagramBlock): string {
  if (place === "input") return "-w";
  if (node.keyword === "rpc" || node.keyword === "action") return "-x";
  if (node.keyword === "notification") return "-n";
  if (config === true) return "rw";
  return config === false || place !== "data" ? "ro" : "";
}

function isOptional(node: DraftNode): boolean {
  return propertyText(node, "mandatory") !== "true";
}

function mayBeAbsent(node: DraftNode): boolean {
  switch (node.keyword) {
    case "anydata":
    case "anyxml":
      return isOptional(node);
    case "leaf":
      return isOptional(node) && !isKey(node);
    default:
      return false;
  }
}

function isKey(node: DraftNode): boolean {
  const list = node.parent;
  if (list?.keyword !== "list") return false;
  const keys = (propertyText(list, "key") ?? "").split(/\s+/);
  return keys.some((key) => splitName(key).name === node.name) && node.module === list.module;
}

/** As the module writes it; a leafref shows its path. */
function typeOf(node: DraftNode): string | undefined {
  if (node.keyword === "anydata" || node.keyword === "anyxml") return `<${node.keyword}>`;
  const type = propertyOf(node, "type")?.statement;
  if (type === undefined) return undefined;
  const path = argumentOf(type) === "leafref" ? findChild(type, "path") : undefined;
  return path === undefined ? argumentOf(type) : `-> ${shortPath(argumentOf(path), node.module.prefix)}`;
}

/** A prefix is written only where the module changes along the path (RFC 8340 section 2.2). */
function shortPath(path: string, ownPrefix: string): string {
  let current = ownPrefix;
  return path
    .split("/")
    .map((step) => {
      const { prefix, name } = splitName(step);
      if (prefix === undefined || prefix === current) return name;
      current = prefix;
      return step;
    })
    .join("/");
}

/** Those of an augment come last, without what the node names itself. */
function featuresOf(node: DraftNode): string {
  const own = node.ifFeatures.map(argumentOf);
  const outer = node.augment === undefined ? [] : findChildren(node.augment, "if-feature").map(argumentOf);
  const names = [...own, ...outer.filter((name) => !own.includes(name))];
  return names.length === 0 ? "" : ` {${names.join(",")}}?`;
}
