/** The network of the ownership tests: one small module of our own that has each thing the rules speak of. */
import type { Schema } from "../../model/schema.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { valueOf } from "./results.ts";

const TEXT = `module net {
  yang-version 1.1;
  namespace "urn:tenure:test:net";
  prefix n;

  identity kind;
  identity ethernet { base kind; }

  container interfaces {
    list interface {
      key name;
      leaf name { type string; }
      leaf type { type identityref { base kind; } }
      leaf description { type string; }
      leaf mtu { type uint16 { range "68..9216"; } }
      leaf fast { type empty; }
      leaf octets { config false; type uint64; }
      container ospf {
        presence "OSPF runs here.";
        leaf cost { type uint16; }
      }
      choice mode {
        case access { leaf access-vlan { type leafref { path "/n:vlans/n:vlan/n:id"; } } }
        case trunk { leaf-list trunk-vlan { type leafref { path "/n:vlans/n:vlan/n:id"; } } }
      }
      list filter {
        key seq;
        ordered-by user;
        leaf seq { type uint16; }
        leaf action { type string; }
      }
    }
  }
  container vlans {
    list vlan {
      key id;
      leaf id { type uint16 { range "1..4094"; } }
      leaf name { type string; }
    }
  }
  list vrf {
    key name;
    leaf name { type string; }
    list server {
      key name;
      leaf name { type string; }
    }
    leaf default-server { type leafref { path "../server/name"; } }
  }
  container system {
    leaf hostname { type string; }
    leaf-list dns { type string; ordered-by user; }
    leaf quota { type uint64; }
    leaf ratio { type decimal64 { fraction-digits 3; } }
    leaf password { type string; }
    leaf-list community { type string; }
    list user { key "name site"; leaf name { type string; } leaf site { type string; } leaf role { type string; } }
  }
}`;

export const network: Schema = networkWith([]);

/** The network after its module was changed: every first text stands in it and becomes the second. */
export function networkWith(edits: readonly (readonly [before: string, after: string])[]): Schema {
  let text = TEXT;
  for (const [before, after] of edits) {
    if (!text.includes(before)) throw new RangeError(`the module has no ${before}`);
    text = text.replace(before, after);
  }
  return valueOf(compileYang([{ name: "net.yang", text }], { implement: "all", features: "all" }));
}

export const at = {
  interface: (name: string) => `/net:interfaces/interface[name='${name}']`,
  mtu: (name: string) => `/net:interfaces/interface[name='${name}']/mtu`,
  description: (name: string) => `/net:interfaces/interface[name='${name}']/description`,
  ospf: (name: string) => `/net:interfaces/interface[name='${name}']/ospf`,
  accessVlan: (name: string) => `/net:interfaces/interface[name='${name}']/access-vlan`,
  trunkVlan: (name: string, vlan: string) => `/net:interfaces/interface[name='${name}']/trunk-vlan[.='${vlan}']`,
  filter: (name: string, seq: string) => `/net:interfaces/interface[name='${name}']/filter[seq='${seq}']`,
  vlan: (id: string) => `/net:vlans/vlan[id='${id}']`,
  vlanName: (id: string) => `/net:vlans/vlan[id='${id}']/name`,
  dns: (server: string) => `/net:system/dns[.='${server}']`,
};
