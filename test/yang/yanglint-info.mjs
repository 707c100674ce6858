// The compiled schema that `yanglint -f info` prints, as facts a node: { path, facts }, line by line.
//
// The format is for people: strings are not escaped the same way everywhere, `key` runs its names together or puts commas before them, `unique`
// lacks a quote, nodes of augments do not say their module. So it is read by indentation, which is reliable, and only
// what is reliable is compared.

const NODES = new Set(["container", "list", "leaf", "leaf-list", "choice", "case", "anydata", "anyxml"]);
const BODIES = new Set(["rpc", "action", "input", "output", "notification"]);

/** A reader of lines; `end()` gives `[{ path, facts }]` of all modules printed, in their order. */
export function infoReader() {
  const found = [];
  /** Open blocks, outermost first. */
  const open = [];
  return {
    line(text) {
      const trimmed = text.trimStart();
      const indent = text.length - trimmed.length;
      if (trimmed === "}" && indent === 2 * (open.length - 1)) {
        close(open.pop(), open, found);
        return;
      }
      // Other lines of a string stand deeper, or less deep, than the statements of the open block.
      if (indent !== 2 * open.length || !/^[a-z]/.test(trimmed)) return;
      const [, keyword, rest] = /^([a-z0-9:.-]+) ?(.*)$/s.exec(trimmed) ?? [];
      if (keyword === undefined) return;
      const block = rest.endsWith("{");
      const argument = unquote(rest.replace(/[;{]$/, "").trimEnd());
      const statement = { keyword, argument, children: [] };
      open.at(-1)?.children.push(statement);
      if (!block) return;
      place(statement, open.at(-1));
      open.push(statement);
    },
    end: () => found,
  };
}

function unquote(text) {
  const inner = text.replace(/^"/, "").replace(/"$/, "");
  return inner.replace(/\\(["\\nt])/g, (_, escaped) => ({ n: "\n", t: "\t" })[escaped] ?? escaped);
}

/** Gives a block its `path`, and the `base` below which what stands in it is found: choices and cases are no steps. */
function place(block, parent) {
  const { keyword, argument } = block;
  if (parent === undefined) block.base = `/${argument}:`;
  else if (parent.base === undefined) return;
  else if (keyword === "case") block.base = parent.base;
  else if (NODES.has(keyword) || BODIES.has(keyword)) {
    block.path = joinPath(parent.base, keyword, argument);
    block.base = keyword === "choice" ? parent.base : block.path;
  }
}

/** Paths of both sides: names without modules, since yanglint does not print them; what is no data in parentheses. */
export function joinPath(parent, keyword, name) {
  const step = keyword === "choice" ? `(${name})` : keyword === "input" || keyword === "output" ? `(${keyword})` : name;
  return parent.endsWith(":") ? parent + step : `${parent}/${step}`;
}

function close(block, open, found) {
  if (block.path === undefined || !NODES.has(block.keyword)) return;
  const message = open.find(({ keyword }) => keyword === "input" || keyword === "output" || keyword === "notification");
  found.push({ path: block.path, facts: factsOf(block, message?.keyword ?? "data") });
  // What was read is not kept: some sets have hundreds of thousands of nodes.
  block.children = [];
}

/**
 * Is `ordered-by` said of a list or leaf-list here? It is ignored in state, output and notifications (RFC 7950 section
 * 7.7.7), and yanglint prints `user` there to say that it keeps an order.
 */
export function hasOrder(place, config) {
  return place === "input" || (place === "data" && config === "true");
}

/** `place`: data, or the kind of message that the node stands in. */
function factsOf(block, place) {
  const facts = { kind: block.keyword };
  const argument = (keyword) => block.children.find((each) => each.keyword === keyword)?.argument;
  const all = (keyword) => block.children.filter((each) => each.keyword === keyword).map((each) => each.argument);
  if (place === "data") facts.config = argument("config");
  if (argument("mandatory") === "true") facts.mandatory = "true";
  if (argument("presence") !== undefined) facts.presence = "true";
  if (block.keyword === "list") facts.key = (argument("key") ?? "").replace(/[, ]/g, "");
  if (block.keyword === "list" || block.keyword === "leaf-list") {
    if (hasOrder(place, facts.config)) facts["ordered-by"] = argument("ordered-by") ?? "system";
    facts["min-elements"] = argument("min-elements") ?? "0";
    facts["max-elements"] = maxOf(argument("max-elements"));
  }
  const defaults = all("default").map(withoutPrefix);
  if (defaults.length > 0) facts.default = defaults.join(" | ");
  const type = block.children.find((each) => each.keyword === "type");
  if (type !== undefined) facts.type = typeText(type);
  return facts;
}

function maxOf(text) {
  return text === undefined || text === "0" || text === "4294967295" ? "unbounded" : text;
}

/** Identities of the own module are printed with or without its name. */
export function withoutPrefix(text) {
  return text.replace(/^[A-Za-z_][\w.-]*:(?=[A-Za-z_][\w.-]*$)/, "");
}

function typeText(type) {
  const argument = (keyword) => type.children.find((each) => each.keyword === keyword)?.argument;
  const all = (keyword) => type.children.filter((each) => each.keyword === keyword);
  const name = type.argument;
  switch (name) {
    case "union":
      return unionText(all("type").map(typeText));
    case "leafref":
      return `leafref(${argument("require-instance") ?? "true"} ${all("type").map(typeText).join(" ")})`;
    case "instance-identifier":
      return `${name}(${argument("require-instance") ?? "true"})`;
    case "identityref":
      return `${name}(${all("base")
        .map(({ argument: base }) => withoutPrefix(base))
        .sort()
        .join(" ")})`;
    case "enumeration":
      return `${name}(${all("enum").map(numbered("value")).sort().join(" ")})`;
    case "bits":
      return `${name}(${all("bit").map(numbered("position")).sort().join(" ")})`;
    default:
      return [
        name,
        argument("fraction-digits") === undefined ? "" : `/${argument("fraction-digits")}`,
        parts("range", argument("range")),
        parts("length", argument("length")),
        all("pattern").length === 0 ? "" : `[${all("pattern").length} patterns]`,
      ].join("");
  }
}

/** A union within a union is its members in their place (RFC 7950 section 9.12); yanglint prints them so. */
export function unionText(members) {
  return `union(${members.map((each) => (each.startsWith("union(") ? each.slice(6, -1) : each)).join(" ")})`;
}

function numbered(keyword) {
  return ({ argument, children }) =>
    `${argument}=${children.find((each) => each.keyword === keyword)?.argument ?? "?"}`;
}

/** `1..5|9`, without blanks. */
function parts(keyword, text) {
  return text === undefined ? "" : `[${keyword} ${text.replace(/\s/g, "")}]`;
}
