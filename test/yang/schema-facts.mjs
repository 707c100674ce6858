// The same facts of our schema as `yanglint-info.mjs` reads from yanglint.
import { hasOrder, joinPath, unionText, withoutPrefix } from "./yanglint-info.mjs";

/** `[{ path, facts }]` of the nodes that stand below the modules named; `path` begins with the module of the root. */
export function schemaFacts(schema, modules) {
  const found = [];
  const block = (holder, path, place) => {
    for (const choice of holder.choices.values()) visitChoice(choice, path, place);
    for (const node of holder.children.values()) visit(node, path, place);
    for (const operation of [...(holder.actions ?? []), ...(holder.operations ?? [])]) message(operation[1], path);
    for (const notification of (holder.notifications ?? new Map()).values())
      block(notification, joinPath(path, "notification", notification.name), "notification");
  };
  const message = (operation, path) => {
    const own = joinPath(path, operation.kind, operation.name);
    block(operation.input, joinPath(own, "input", ""), "input");
    block(operation.output, joinPath(own, "output", ""), "output");
  };
  const visitChoice = (choice, path, place) => {
    const facts = { kind: "choice" };
    if (place === "data") facts.config = String(choice.config);
    if (choice.mandatory) facts.mandatory = "true";
    if (choice.defaultCase !== undefined) facts.default = withoutPrefix(choice.defaultCase);
    found.push({ path: joinPath(path, "choice", withoutPrefix(choice.id)), facts });
    for (const each of choice.cases) for (const nested of each.choices) visitChoice(nested, path, place);
  };
  const visit = (node, path, place) => {
    const own = joinPath(path, node.kind, node.name);
    found.push({ path: own, facts: factsOf(node, place) });
    if (node.kind === "container" || node.kind === "list") block(node, own, place);
  };
  for (const module of modules) {
    const path = `/${module}:`;
    const of = (map) => new Map([...map].filter(([id]) => id.startsWith(`${module}:`)));
    block(
      {
        children: of(schema.roots),
        choices: of(schema.rootChoices),
        operations: of(schema.operations),
        notifications: of(schema.notifications),
      },
      path,
      "data",
    );
  }
  return found;
}

function factsOf(node, place) {
  const facts = { kind: node.kind };
  if (place === "data") facts.config = String(node.config);
  if (node.mandatory === true) facts.mandatory = "true";
  if (node.presence === true) facts.presence = "true";
  if (node.kind === "list") facts.key = node.keys.map(({ name }) => name).join("");
  if (node.kind === "list" || node.kind === "leaf-list") {
    if (hasOrder(place, facts.config)) facts["ordered-by"] = node.orderedBy;
    facts["min-elements"] = String(node.minElements);
    facts["max-elements"] = node.maxElements === undefined ? "unbounded" : String(node.maxElements);
  }
  const defaults = node.defaultText === undefined ? (node.defaultTexts ?? []) : [node.defaultText];
  if (defaults.length > 0) facts.default = defaults.map(withoutPrefix).join(" | ");
  if (node.type !== undefined) facts.type = typeText(node.type);
  return facts;
}

function typeText(type) {
  switch (type.kind) {
    case "union":
      return unionText(type.members.map(typeText));
    case "leafref":
      return `leafref(${type.requireInstance} ${typeText(endOf(type))})`;
    case "instance-identifier":
      return `${type.kind}(${type.requireInstance})`;
    case "identityref":
      return `${type.kind}(${type.bases.map(withoutPrefix).sort().join(" ")})`;
    case "enumeration":
      return `${type.kind}(${type.enums
        .map(({ name, value }) => `${name}=${value}`)
        .sort()
        .join(" ")})`;
    case "bits":
      return `${type.kind}(${type.bits
        .map(({ name, position }) => `${name}=${position}`)
        .sort()
        .join(" ")})`;
    default:
      return [
        type.kind,
        type.kind === "decimal64" ? `/${type.fractionDigits}` : "",
        parts("range", type.ranges?.at(-1), type.fractionDigits),
        parts("length", type.lengths?.at(-1)),
        (type.patterns ?? []).length === 0 ? "" : `[${type.patterns.length} patterns]`,
      ].join("");
  }
}

/** yanglint prints the type at the end of a chain of leafrefs. */
function endOf(type) {
  let at = type;
  while (at.kind === "leafref") at = at.target().type;
  return at;
}

function parts(keyword, restriction, digits) {
  if (restriction === undefined) return "";
  const bound = (text) => (digits === undefined ? text : scaled(text, digits));
  const all = restriction.parts.map(({ min, max }) => (min === max ? bound(min) : `${bound(min)}..${bound(max)}`));
  return `[${keyword} ${all.join("|")}]`;
}

/** yanglint prints bounds of a decimal64 as whole numbers of its smallest step. */
function scaled(text, digits) {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  const number = (whole + fraction.padEnd(digits, "0")).replace(/^0+(?=\d)/, "");
  return number === "0" ? "0" : sign + number;
}
