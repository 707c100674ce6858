import { describe, expect, it } from "vitest";
import { parseXml } from "../../codec/xml/read-xml.ts";
import type { XmlElement } from "../../codec/xml/xml-element.ts";
import { lockOwner } from "../../providers/error.ts";
import { rejectionError, RpcEffect } from "../../providers/netconf/client/rejection.ts";
import { findRpcErrors, saysOk } from "../../providers/netconf/client/rpc-error.ts";

const base = "urn:ietf:params:xml:ns:netconf:base:1.0";

function parsed(text: string): XmlElement {
  const result = parseXml(text);
  if (result.kind === "failed") {
    throw new Error(result.error.message);
  }
  return result.value;
}

function reply(content: string): XmlElement {
  return parsed(`<rpc-reply xmlns="${base}" xmlns:nc="${base}" message-id="3">${content}</rpc-reply>`);
}

describe("case 10: rpc-error is found by namespace", () => {
  const error = "<nc:error-type>protocol</nc:error-type><nc:error-tag>invalid-value</nc:error-tag>";

  it.each([
    ["directly", `<nc:rpc-error>${error}</nc:rpc-error>`],
    ["in a vendor's element", `<results xmlns="urn:ex:vendor"><nc:rpc-error>${error}</nc:rpc-error></results>`],
    ["deep in vendors' elements", `<a xmlns="urn:ex:v"><b><c/><c>x<nc:rpc-error>${error}</nc:rpc-error></c></b></a>`],
    ["under another prefix", `<q:rpc-error xmlns:q="${base}">${error}</q:rpc-error>`],
    ["beside an ok", `<ok/><nc:rpc-error>${error}</nc:rpc-error>`],
  ])("%s", (_title, content) => {
    expect(findRpcErrors(reply(content))).toEqual([
      { type: "protocol", tag: "invalid-value", severity: "error", info: [] },
    ]);
  });

  it.each([
    ["escaped text", "<data><d xmlns='urn:ex:d'>&lt;rpc-error&gt;</d></data>"],
    ["CDATA", "<data><d xmlns='urn:ex:d'><![CDATA[<nc:rpc-error><nc:error-tag/></nc:rpc-error>]]></d></data>"],
    ["an element of another namespace", '<data><rpc-error xmlns="urn:ex:log"/></data>'],
    ["an attribute and a comment", '<data nc:rpc-error="1"/><!-- <nc:rpc-error/> -->'],
  ])("%s is no error", (_title, content) => {
    expect(findRpcErrors(reply(content))).toEqual([]);
  });
});

describe("reports", () => {
  it("keeps all fields, order and warnings, and what the prefixes of a path mean", () => {
    const [warning, error] = findRpcErrors(
      reply(`<rpc-error><error-type>application</error-type><error-tag>operation-failed</error-tag>
          <error-severity> warning </error-severity><error-message xml:lang="en">deprecated</error-message></rpc-error>
        <rpc-error><error-type>application</error-type><error-tag>invalid-value</error-tag><error-severity>error</error-severity>
          <error-app-tag>too-big</error-app-tag><error-path xmlns:i="urn:ex:if">/i:a/i:b[i:k='x:y']</error-path>
          <error-message> mtu too big </error-message>
          <error-info><bad-element>mtu</bad-element><hint xmlns="urn:ex:hint">9216</hint></error-info></rpc-error>`),
    );
    expect(warning).toEqual({
      type: "application",
      tag: "operation-failed",
      severity: "warning",
      message: "deprecated",
      info: [],
    });
    expect(error).toEqual({
      type: "application",
      tag: "invalid-value",
      severity: "error",
      appTag: "too-big",
      path: "/i:a/i:b[i:k='x:y']",
      pathPrefixes: { i: "urn:ex:if" },
      message: "mtu too big",
      info: [
        { namespace: base, name: "bad-element", text: "mtu" },
        { namespace: "urn:ex:hint", name: "hint", text: "9216" },
      ],
    });
  });

  it.each(["", "<error-severity/>", "<error-severity>fatal</error-severity>"])(
    "counts as an error with %j",
    (severity) => {
      expect(findRpcErrors(reply(`<rpc-error>${severity}</rpc-error>`))[0]?.severity).toBe("error");
    },
  );

  it("finds ok where a server wraps it, and takes no other element for one", () => {
    expect(saysOk(reply("<ok/>"))).toBe(true);
    expect(saysOk(reply('<r xmlns="urn:ex:v"><nc:ok/></r>'))).toBe(true);
    expect(saysOk(reply('<ok xmlns="urn:ex:v"/>'))).toBe(false);
    expect(saysOk(reply(""))).toBe(false);
  });
});

describe("what a rejection means", () => {
  function rejected(tags: readonly string[], effect: RpcEffect, info = ""): ReturnType<typeof rejectionError> {
    const content = tags.map((tag) => `<rpc-error><error-tag>${tag}</error-tag>${info}</rpc-error>`).join("");
    return rejectionError({ target: "r1:830", operation: "lock", effect, errors: findRpcErrors(reply(content)) });
  }

  it.each([
    ["146959354", 146959354],
    [" 0 ", 0],
    ["", undefined],
    ["none", undefined],
  ])("case 49: lock-denied with session-id %j names the owner %s", (text, owner) => {
    const error = rejected(
      ["lock-denied"],
      RpcEffect.None,
      `<error-info><session-id>${text}</session-id></error-info>`,
    );
    expect(error).toMatchObject({ code: "LockDenied", retryable: true });
    expect(lockOwner(error)).toBe(owner);
    expect(error.details).toContainEqual({ fieldPath: "session-id", description: text.trim() });
  });

  it.each([
    [["invalid-value"], RpcEffect.MayChange, "DeviceRejected", false],
    [["in-use"], RpcEffect.MayChange, "FailedPrecondition", true],
    [["resource-denied", "in-use"], RpcEffect.None, "FailedPrecondition", true],
    [["in-use", "invalid-value"], RpcEffect.None, "DeviceRejected", false],
    [["access-denied"], RpcEffect.None, "DeviceRejected", false],
    [["rollback-failed"], RpcEffect.MayChange, "OutcomeUnknown", false],
    [["operation-failed", "partial-operation"], RpcEffect.MayChange, "OutcomeUnknown", false],
    [["invalid-value"], RpcEffect.MayChangeInPart, "OutcomeUnknown", false],
    [["rollback-failed"], RpcEffect.None, "DeviceRejected", false],
  ] as const)("%j with effect %s is %s", (tags, effect, code, retryable) => {
    const error = rejected(tags, effect);
    expect(error).toMatchObject({ code, retryable });
    expect(error.reports.map(({ tag }) => tag)).toEqual(tags);
    expect(error.details).toHaveLength(tags.length);
  });
});
