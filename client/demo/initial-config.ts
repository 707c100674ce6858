/** What the simulated devices are before Tenure knows them: their modules, their login, their configuration. */
import { join } from "node:path";
import { packageRoot } from "../../runtime/package-root.ts";

export const moduleFiles: readonly string[] = [
  "tenure-extensions",
  "tenure-demo-interfaces",
  "tenure-demo-vlans",
  "tenure-demo-system",
].map((name) => join(packageRoot, "examples", "yang", `${name}.yang`));

export const DEMO_USER = { name: "demo", password: "demo-only" } as const;
/** The reference that Tenure is given in place of the login. */
export const CREDENTIALS = "env:TENURE_DEMO";

/** What `env:TENURE_DEMO` stands for: the worker of `tenure up` finds these in its environment. */
export const credentialVariables = {
  TENURE_DEMO_USERNAME: DEMO_USER.name,
  TENURE_DEMO_PASSWORD: DEMO_USER.password,
} as const;

/** Two routers, each with an uplink (eth0) and a port for users (eth1); nobody has set an MTU yet. */
export function initialConfig(name: string): string {
  const loopback = `192.0.2.${name === "r1" ? "1" : "2"}`;
  return `<data>
  <interfaces xmlns="urn:tenure:demo:interfaces">
    <interface>
      <name>lo0</name>
      <type>loopback</type>
      <address><ip>${loopback}</ip><prefix-length>32</prefix-length></address>
    </interface>
    <interface>
      <name>eth0</name>
      <description>to the core</description>
      <type>ethernet</type>
    </interface>
    <interface>
      <name>eth1</name>
      <description>to the users</description>
      <type>ethernet</type>
      <enabled>true</enabled>
    </interface>
  </interfaces>
  <system xmlns="urn:tenure:demo:system">
    <hostname>${name}</hostname>
    <contact>noc@example.net</contact>
    <dns-server>192.0.2.53</dns-server>
    <dns-server>198.51.100.53</dns-server>
  </system>
</data>
`;
}
