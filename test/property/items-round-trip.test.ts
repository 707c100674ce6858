import fc from "fast-check";
import { expect, it } from "vitest";
import { removeAt, setItem, setNode } from "../../codec/edit-tree.ts";
import { itemsOf, treeFromItems } from "../../codec/items.ts";
import { formatInstancePath } from "../../model/path.ts";
import { parseInstancePath } from "../../model/paths/parse-path.ts";
import { findNode, hasChildren, isUserOrdered, walkTree } from "../../model/tree.ts";
import { arbitraryData } from "../support/arbitrary-data.ts";
import { valueOf } from "../support/results.ts";
import { outlineOf } from "../support/tree-outline.ts";

const anyData = arbitraryData({ origins: ["set", "default", "unknown"], opaque: "xml" });

it("builds from items the tree they came from, in whatever order they stand", () => {
  fc.assert(
    fc.property(anyData, fc.boolean(), (tree, reverse) => {
      const items = itemsOf(tree);
      const again = valueOf(treeFromItems(tree.schema, reverse ? items.reverse() : items));
      expect(outlineOf(again)).toEqual(outlineOf(tree));
    }),
    { numRuns: 300 },
  );
});

it("gives every item a path of its own that the schema knows", () => {
  fc.assert(
    fc.property(anyData, (tree) => {
      const items = itemsOf(tree);
      expect(new Set(items.map((item) => item.path)).size).toBe(items.length);
      for (const item of items) {
        const resolved = valueOf(parseInstancePath(tree.schema, item.path));
        expect(formatInstancePath(resolved.path)).toBe(item.path);
      }
    }),
    { numRuns: 100 },
  );
});

it("rebuilds a tree node by node with single edits", () => {
  fc.assert(
    fc.property(arbitraryData({ origins: ["set", "default"], opaque: "xml" }), (tree) => {
      let built = { schema: tree.schema, roots: new Map() } as typeof tree;
      for (const { path, node } of walkTree(tree)) {
        if (node.kind === "container" && !node.schema.presence) continue;
        // Types that overlap in a union are known to the node alone, so entries are put as nodes, without children.
        const result =
          node.kind === "leaf"
            ? setItem(built, path, { value: node.value, origin: node.origin })
            : setNode(built, path, hasChildren(node) ? { ...node, children: new Map() } : node);
        built = valueOf(result);
      }
      expect(outlineOf(built)).toEqual(outlineOf(tree));
    }),
    { numRuns: 150 },
  );
});

it("removes a node with all below it and keeps everything else as it was", () => {
  fc.assert(
    fc.property(anyData, fc.nat(), (tree, pick) => {
      const nodes = [...walkTree(tree)];
      const chosen = nodes[pick % Math.max(nodes.length, 1)];
      if (chosen === undefined) return;
      const without = removeAt(tree, chosen.path);
      expect(findNode(without, chosen.path)).toBeUndefined();
      expect(removeAt(without, chosen.path)).toBe(without);
      const gone = (path: string): boolean => path === at || path.startsWith(`${at}/`);
      const at = formatInstancePath(chosen.path);
      const left = nodes.map((each) => formatInstancePath(each.path)).filter((path) => !gone(path));
      const stays = new Set([...walkTree(without)].map((each) => formatInstancePath(each.path)));
      const pruned = left.filter((path) => !stays.has(path));
      expect(stays.size).toBe(left.length - pruned.length);
      for (const path of pruned) expect(at.startsWith(`${path}/`)).toBe(true);
      // Putting it back where it was gives the tree again, unless order carried meaning on the way.
      if (nodes.some((each) => isUserOrdered(each.node.schema) || each.node.schema.cases.length > 0)) return;
      expect(outlineOf(valueOf(setNode(without, chosen.path, chosen.node)))).toEqual(outlineOf(tree));
    }),
    { numRuns: 200 },
  );
});
