import { parseInstancePath } from "../model/path.ts";
import type { DataTree } from "../model/tree.ts";
import { VALIDATION_RULES, type ValidationFinding } from "../model/validation/finding.ts";
import { validateTree } from "../model/validation/validate-tree.ts";
import { type RpcError, applicationError } from "./rpc-error.ts";

/**
 * What makes a whole configuration unfit to run (RFC 7950, section 8.1), as a server reports it: with the tags of section 8.3, and the app-tag
 * and path of section 15. What was not evaluated is no error: a device runs with it.
 */
export function checkTree(tree: DataTree): readonly RpcError[] {
  return validateTree(tree)
    .filter(({ code }) => code !== "not-evaluated")
    .map((finding) => rpcError(tree, finding));
}

function rpcError({ schema }: DataTree, { code, path, schemaPath, message, errorAppTag }: ValidationFinding): RpcError {
  const { errorTag } = VALIDATION_RULES[code];
  const place = parseInstancePath(schema, path);
  // These two tags need the name of the element (RFC 6241, appendix A).
  const names = errorTag === "unknown-element" || errorTag === "bad-element";
  return applicationError(errorTag, message, {
    ...(errorAppTag === undefined ? {} : { appTag: errorAppTag }),
    ...(place.kind === "ok" ? { path: place.value.path } : {}),
    ...(names ? { info: [{ name: "bad-element", text: schemaPath.slice(schemaPath.lastIndexOf(":") + 1) }] } : {}),
  });
}
