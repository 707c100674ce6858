/** What `tenure convert` and `tenure validate` make of files, beside what yanglint makes of them. */
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { describePeer } from "../support/peer-suite.ts";
import { offlineLab } from "../support/offline-lab.ts";
import { missingYanglintProgram } from "../support/yanglint.ts";

const missing = missingYanglintProgram();

const DOCUMENTS: Readonly<Record<string, string>> = {
  "every kind of node": `<net xmlns="urn:t:lab-net"><hostname>r1</hostname><nickname>the &lt;core&gt;</nickname>
    <port><name>a'b"c]/%</name><speed xmlns:q="urn:t:lab-types">q:gigabit</speed><mtu>+09000</mtu></port>
    <port><name/></port><uplink>a'b"c]/%</uplink><tag> x </tag><tag/><tag>é😀</tag></net>`,
  "several top-level nodes": `<net xmlns="urn:t:lab-net"><hostname>r1</hostname></net>\n<site xmlns="urn:t:lab-net">here</site>`,
  "a prefix for everything": `<l:net xmlns:l="urn:t:lab-net"><l:hostname>r1</l:hostname><l:tag>t</l:tag></l:net>`,
};

const WRONG: Readonly<Record<string, string>> = {
  "a mandatory leaf is missing": `<net xmlns="urn:t:lab-net"><tag>t</tag></net>`,
  "a reference is missing": `<net xmlns="urn:t:lab-net"><hostname>r1</hostname><uplink>a</uplink></net>`,
  "a must fails": `<net xmlns="urn:t:lab-net"><hostname>r1</hostname><port><name>a</name><mtu>1000</mtu></port></net>`,
  "a value is out of range": `<net xmlns="urn:t:lab-net"><hostname>r1</hostname><port><name>a</name><mtu>1</mtu></port></net>`,
  "a key is missing": `<net xmlns="urn:t:lab-net"><hostname>r1</hostname><port><mtu>1500</mtu></port></net>`,
  "a node is unknown": `<net xmlns="urn:t:lab-net"><hostname>r1</hostname><gate/></net>`,
};

describePeer("offline verbs beside yanglint", missing, () => {
  const lab = offlineLab();
  const models = ["models/current/lab-net.yang", "models/lab-types.yang"];
  const yanglint = (form: "xml" | "json", file: string): { readonly code: number | null; readonly out: string } => {
    const argv = ["-t", "config", "-p", "models/current", "-p", "models", "-f", form, ...models, file];
    const { status, stdout, stderr } = spawnSync("yanglint", argv, { encoding: "utf8" });
    return { code: status, out: status === 0 ? stdout : stderr };
  };
  const convert = async (to: "xml" | "json", file: string): Promise<string> => {
    const envelope = to === "xml" ? ["--envelope", "none"] : [];
    const { code, out, err } = await lab.run(["convert", "--yang", "models", "--to", to, ...envelope, file]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return out;
  };

  it.each(Object.keys(DOCUMENTS))(
    "%s: the same JSON, and XML and JSON that yanglint reads as the same",
    async (name) => {
      lab.write("in.xml", DOCUMENTS[name] ?? "");
      const json = await convert("json", "in.xml");
      const theirs = yanglint("json", "in.xml");
      expect(theirs.code).toBe(0);
      expect(JSON.parse(json)).toEqual(JSON.parse(theirs.out));
      lab.write("out.json", json);
      expect(yanglint("json", "out.json")).toEqual(theirs);
      lab.write("out.xml", await convert("xml", "out.json"));
      expect(yanglint("json", "out.xml")).toEqual(theirs);
      // And theirs is read here as the same.
      const theirXml = yanglint("xml", "in.xml");
      lab.write("their.xml", theirXml.out);
      expect(await convert("json", "their.xml")).toBe(json);
    },
  );

  it.each(Object.keys(WRONG))("%s: both refuse it", async (name) => {
    lab.write("wrong.xml", WRONG[name] ?? "");
    expect(yanglint("json", "wrong.xml").code).not.toBe(0);
    expect(await lab.run(["validate", "--yang", "models", "wrong.xml"])).toMatchObject({ code: 1, err: "" });
  });
});
