/** All that a schema says, as plain data: references to nodes become their paths. Nothing is left out by name. */
export function plainSchema(value: unknown, key = ""): unknown {
  if (typeof value === "function") return plainSchema((value as () => unknown)(), "parent");
  if (value instanceof Map)
    return Array.from(value as ReadonlyMap<string, unknown>, ([name, each]) => [name, plainSchema(each)]);
  if (value instanceof Set) return Array.from(value as ReadonlySet<string>);
  if (Array.isArray(value)) return value.map((each) => plainSchema(each, key === "keys" ? "parent" : ""));
  if (typeof value !== "object" || value === null) return value;
  if (key === "parent") return (value as { readonly schemaPath: string }).schemaPath;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => [name, plainSchema(each, name)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}
