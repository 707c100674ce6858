/** One rule of YANG: a module that breaks it and nothing else, what is found and where, and the module put right. */
import type { YangSource } from "../../../model/yang/compile-yang.ts";

export interface YangRule {
  /** Of RFC 7950, or `6020 x.y`. */
  readonly section: string;
  readonly title: string;
  readonly wrong: readonly YangSource[];
  /** `code place place`; places of `m.yang` without the name. */
  readonly finding: string;
  readonly right: readonly YangSource[];
  readonly severity: "error" | "warning";
  /** Where yanglint's verdict on `wrong` or `right` is another one than ours, why. */
  readonly yanglint: YanglintDiffers | undefined;
}

export interface YanglintDiffers {
  readonly accepts?: "wrong";
  readonly refuses?: "right";
  readonly because: string;
}

export interface RuleOptions {
  readonly version?: "1" | "1.1";
  readonly severity?: "warning";
  readonly yanglint?: YanglintDiffers;
}

/** A body of module `m`, which begins on line 2 of `m.yang`, or whole texts by name, the module to compile first. */
export type RuleText = string | Readonly<Record<string, string>>;

export function rule(
  section: string,
  title: string,
  wrong: RuleText,
  finding: string,
  right: RuleText,
  options: RuleOptions = {},
): YangRule {
  const version = options.version ?? "1.1";
  return {
    section,
    title,
    wrong: sourcesOf(wrong, version),
    finding,
    right: sourcesOf(right, version),
    severity: options.severity ?? "error",
    yanglint: options.yanglint,
  };
}

function sourcesOf(text: RuleText, version: "1" | "1.1"): readonly YangSource[] {
  if (typeof text === "string") return [{ name: "m.yang", text: moduleText("m", text, version) }];
  return Object.entries(text).map(([name, each]) => ({ name: `${name}.yang`, text: each }));
}

/** A module whose body begins on line 2; its prefix is its name. */
export function moduleText(name: string, body: string, version: "1" | "1.1" = "1.1"): string {
  return `module ${name} { yang-version ${version}; namespace "urn:t:${name}"; prefix ${name};\n${body}\n}\n`;
}

/** A submodule of `owner` whose body begins on line 2. */
export function submoduleText(name: string, owner: string, body: string, version: "1" | "1.1" = "1.1"): string {
  return `submodule ${name} { yang-version ${version}; belongs-to ${owner} { prefix ${owner}; }\n${body}\n}\n`;
}
