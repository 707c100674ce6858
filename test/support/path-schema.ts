/** A schema whose paths are hard to spell: keys of every awkward type, and one name from two modules. */
import { compileYang } from "../../model/yang/compile-yang.ts";
import { valueOf } from "./results.ts";

const TYPES = `module path-types {
  yang-version 1.1; namespace "urn:t:path-types"; prefix xml;
  identity family;
  identity ipv4 { base family; }
  identity ipv6 { base family; }
  identity twin { base family; }
}`;

const INET = `module ietf-inet-types {
  yang-version 1.1; namespace "urn:t:inet"; prefix inet;
  typedef ipv6-address { type string { pattern '[0-9a-fA-F:.]*(%.+)?'; } }
}`;

const NET = `module path-net {
  yang-version 1.1; namespace "urn:t:path-net"; prefix net;
  import path-types { prefix t; }
  import ietf-inet-types { prefix inet; }
  identity local { base t:family; }
  identity twin { base t:family; }
  container net {
    leaf name { type string; }
    list port { key name; leaf name { type string; } leaf mtu { type uint16; }
      container state { config false; leaf up { type boolean; } } }
    list route { key "target family"; leaf target { type string; }
      leaf family { type identityref { base t:family; } } leaf metric { type uint32; } }
    list peer { key address; leaf address { type inet:ipv6-address; } }
    list link { key to; leaf to { type instance-identifier; } }
    list either { key id; leaf id { type union { type uint8; type identityref { base t:family; } type string; } } }
    leaf-list tag { type string; }
    leaf-list family { type identityref { base t:family; } }
    leaf-list order { type string; ordered-by user; }
    list log { config false; leaf text { type string; } }
    leaf-list seen { config false; type string; }
    container shared { leaf x { type string; } }
  }
}`;

const MORE = `module path-plus {
  yang-version 1.1; namespace "urn:t:path-plus"; prefix net;
  import path-net { prefix n; }
  augment /n:net { container shared { leaf x { type string; } } leaf extra { type string; } }
  augment /n:net/n:port { leaf note { type string; } }
  container other { leaf y { type string; } }
}`;

export const pathSchema = valueOf(
  compileYang(
    [
      { name: "path-types.yang", text: TYPES },
      { name: "ietf-inet-types.yang", text: INET },
      { name: "path-net.yang", text: NET },
      { name: "path-plus.yang", text: MORE },
    ],
    { implement: "all", features: "all" },
  ),
);
