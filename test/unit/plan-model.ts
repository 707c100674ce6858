/** A module with everything that compare, order and rendering treat in its own way, and short ways to write trees of it. */
import { dataFromJson } from "../../codec/json/data-from-json.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import { dataToJson } from "../../codec/json/data-to-json.ts";
import { formatJson } from "../../codec/json/json-value.ts";
import type { DefaultsMode } from "../../codec/data-reading.ts";
import type { Schema } from "../../model/schema.ts";
import type { DataTree } from "../../model/tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { type CompareOptions, compare } from "../../plan/compare.ts";
import type { Operation } from "../../plan/operation.ts";
import { type OperationLine, operationToLine } from "../../plan/operation-json.ts";
import { valueOf } from "../support/results.ts";

const kinds = `
module plan-kinds {
  yang-version 1.1;
  namespace "urn:tenure:test:plan-kinds";
  prefix pk;
  identity kind { description "What an interface is."; }
  identity ethernet { base kind; description "A cable."; }
  identity loopback { base kind; description "No cable."; }
}`;

const network = `
module plan-net {
  yang-version 1.1;
  namespace "urn:tenure:test:plan-net";
  prefix pn;
  import plan-kinds { prefix pk; }
  container net {
    leaf hostname { type string; }
    leaf enabled { type boolean; default "true"; }
    leaf quiet { type empty; }
    leaf banner { type string; }
    leaf password { type string; }
    leaf-list dns { type string; }
    leaf-list search { type string; ordered-by user; }
    leaf-list ports { type uint16; default "22"; default "80"; }
    list vrf {
      key "name";
      leaf name { type string; }
      leaf description { type string; }
      leaf backup { type leafref { path "../../vrf/name"; } }
    }
    list interface {
      key "name";
      leaf name { type string; }
      leaf kind { type identityref { base pk:kind; } }
      leaf mtu { type uint16; default "1500"; }
      leaf description { type string; }
      leaf vrf { type leafref { path "../../vrf/name"; } }
      leaf soft-vrf { type string; }
      leaf-list address { type string; }
      container ipv4 {
        presence "IPv4 is on.";
        leaf forwarding { type boolean; default "false"; }
      }
      container counters { config false; leaf packets { type uint64; } leaf errors { type uint64; default "0"; } }
    }
    list rule {
      key "name";
      ordered-by user;
      leaf name { type string; }
      leaf action { type enumeration { enum accept; enum drop; } }
    }
    list role {
      key "kind";
      ordered-by user;
      leaf kind { type identityref { base pk:kind; } }
    }
    list ace {
      key "sequence";
      leaf sequence { type uint32; }
      leaf action { type string; }
    }
    list object-group {
      key "name";
      leaf name { type string; }
      list member { key "address"; leaf address { type string; } }
    }
    container options {
      leaf first { type string; }
      leaf second { type string; default "two"; }
    }
    choice transport {
      default plain;
      case plain {
        leaf seconds { type uint32; default "30"; }
      }
      case burst {
        leaf size { type uint32; }
        leaf wait { type uint32; default "100"; }
        container queue { leaf depth { type uint32; } leaf limit { type uint32; default "8"; } }
      }
      case secure {
        list peer { key "name"; leaf name { type string; } }
        leaf-list cipher { type string; ordered-by user; }
      }
    }
    anydata extra;
  }
}`;

export const schema: Schema = valueOf(
  compileYang(
    [
      { name: "plan-kinds", text: kinds },
      { name: "plan-net", text: network },
    ],
    { implement: "all", features: "all" },
  ),
);

/** A tree with this content of `/plan-net:net`, read as from a device of that mode; `nodes` is all, state included. */
export function net(content: object, defaultsMode: DefaultsMode = "explicit"): DataTree {
  const text = JSON.stringify({ "plan-net:net": content });
  return valueOf(
    dataFromJson(schema, valueOf(parseJson(text, { source: "test" })), {
      unknown: "error",
      nodes: "all",
      defaultsMode,
      dialect: "tenure",
    }),
  );
}

/** The content of `/plan-net:net` as plain JSON, in document order. */
export function content(tree: DataTree): unknown {
  const written = formatJson(valueOf(dataToJson(tree, { dialect: "tenure" })), { layout: "compact" });
  return (JSON.parse(written) as Record<string, unknown>)["plan-net:net"] ?? {};
}

export const explicit: CompareOptions = { defaultsMode: "explicit" };

/** The operations that turn `observed` into `desired`. */
export function operationsFor(
  desired: object,
  observed: object,
  options: CompareOptions = explicit,
): readonly Operation[] {
  return compare(net(desired), net(observed), options).operations;
}

/** The same as people read them, paths below `/plan-net:net`. */
export function linesFor(
  desired: object,
  observed: object,
  options: CompareOptions = explicit,
): readonly OperationLine[] {
  return operationsFor(desired, observed, options).map((operation) => shorten(operationToLine(operation)));
}

export function shorten(line: OperationLine): OperationLine {
  return JSON.parse(JSON.stringify(line).replaceAll("/plan-net:net/", "")) as OperationLine;
}
