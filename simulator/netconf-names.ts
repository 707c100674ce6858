/** Namespaces and capability URIs of NETCONF that more than one file of the simulator writes or compares. */
export const baseNamespace = "urn:ietf:params:xml:ns:netconf:base:1.0";
export const yangNamespace = "urn:ietf:params:xml:ns:yang:1";
export const withDefaultsNamespace = "urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults";
/** Namespace of the `default` attribute of tagged reports (RFC 6243, section 6). */
export const defaultTagNamespace = "urn:ietf:params:xml:ns:netconf:default:1.0";
export const monitoringNamespace = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
export const yangLibraryNamespace = "urn:ietf:params:xml:ns:yang:ietf-yang-library";

export const baseCapability = {
  "1.0": "urn:ietf:params:netconf:base:1.0",
  "1.1": "urn:ietf:params:netconf:base:1.1",
} as const;

/** A session as the protocol numbers it; 0 stands for whoever changes the device without NETCONF (RFC 6241, section 7.5). */
export type SessionId = number;
