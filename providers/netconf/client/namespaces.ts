/** Namespaces and capability URIs of the NETCONF documents, each named once. */
export const netconfBaseNamespace = "urn:ietf:params:xml:ns:netconf:base:1.0";
export const notificationNamespace = "urn:ietf:params:xml:ns:netconf:notification:1.0";
export const monitoringNamespace = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
export const withDefaultsNamespace = "urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults";
export const yangLibraryNamespace = "urn:ietf:params:xml:ns:yang:ietf-yang-library";

export const base10Capability = "urn:ietf:params:netconf:base:1.0";
export const base11Capability = "urn:ietf:params:netconf:base:1.1";
