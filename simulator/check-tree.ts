import { parseInstancePath } from "../model/paths/parse-path.ts";
import type { DataTree } from "../model/tree.ts";
import { VALIDATION_RULES, type ValidationFinding } from "../model/validation/finding.ts";
import { validateTree } from "../model/validation/validate-tree.ts";
import { yangNamespace } from "./netconf-names.ts";
import { type ErrorInfo, type RpcError, applicationError } from "./rpc-error.ts";

/**
 * What makes a whole configuration unfit to run (RFC 7950, section 8.1), as a server reports it: with the tags of section 8.3, and the app-tag
 * and path of section 15. What was not evaluated is no error: a device runs with it.
 */
export function checkTree(tree: DataTree): readonly RpcError[] {
  return validateTree(tree)
    .filter(({ code }) => code !== "not-evaluated")
    .map((finding) => rpcError(tree, finding));
}

function rpcError(tree: DataTree, finding: ValidationFinding): RpcError {
  const { code, path, message, errorAppTag } = finding;
  const { errorTag } = VALIDATION_RULES[code];
  const place = parseInstancePath(tree.schema, path);
  const info = infoOf(tree, finding);
  return applicationError(errorTag, message, {
    ...(errorAppTag === undefined ? {} : { appTag: errorAppTag }),
    ...(place.kind === "ok" ? { path: place.value.path } : {}),
    ...(info.length === 0 ? {} : { info }),
  });
}

function infoOf({ schema }: DataTree, { code, path, concerns }: ValidationFinding): readonly ErrorInfo[] {
  if (concerns?.kind === "choice") return [{ namespace: yangNamespace, name: "missing-choice", text: concerns.name }];
  if (concerns?.kind === "leafs")
    return concerns.paths.flatMap((text): ErrorInfo[] => {
      const leaf = parseInstancePath(schema, text);
      return leaf.kind === "ok" ? [{ namespace: yangNamespace, name: "non-unique", text, path: leaf.value.path }] : [];
    });
  const { errorTag } = VALIDATION_RULES[code];
  // These need the name of the element (RFC 6241, appendix A).
  const names = errorTag === "unknown-element" || errorTag === "bad-element" || errorTag === "missing-element";
  const place = names ? parseInstancePath(schema, path) : undefined;
  const last = place?.kind === "ok" ? place.value.path.at(-1) : undefined;
  return last === undefined ? [] : [{ name: "bad-element", text: last.name }];
}
