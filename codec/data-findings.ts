/** What is wrong with data that is read or written, and where: noted while the work goes on, put in words at its end. */
import type { ValueDiagnosticCode } from "../model/values/canonical-value.ts";
import {
  type Diagnostic,
  type DiagnosticPlace,
  type DiagnosticSeverity,
  type Result,
  type SourcePosition,
  failure,
  ok,
} from "../model/diagnostic.ts";
import { type PathSegment, formatInstancePath } from "../model/path.ts";
import type { DataSchemaNode } from "../model/schema.ts";
import { type ParentNode, segmentOf } from "../model/tree.ts";

export type DataDiagnosticCode =
  | "unknown-node"
  | "unqualified-node"
  | "missing-key"
  | "duplicate-node"
  | "unexpected-text"
  | "unexpected-element"
  | "edit-attribute"
  | "attribute-ignored"
  | "no-data"
  | "wrong-json-type"
  | "opaque-content"
  | "sealed-value"
  | "device-deviation"
  | "more-findings"
  | ValueDiagnosticCode;

/**
 * A place in the data, from the inside out. The top of the tree has no segment. Its text is made when all has been
 * read, because the keys of an entry may come last.
 */
export interface DataPlace {
  readonly parent: DataPlace | undefined;
  readonly segment: PathSegment | undefined;
}

/** The place of a node whose entry predicates do not matter or are not known: its name alone. */
export function namePlace(parent: DataPlace | undefined, schema: DataSchemaNode): DataPlace {
  return { parent, segment: { kind: "node", module: schema.module, name: schema.name } };
}

/** The place of a node that has children. */
export class NodePlace implements DataPlace {
  readonly parent: DataPlace | undefined;
  readonly #node: ParentNode;

  constructor(parent: DataPlace | undefined, node: ParentNode) {
    this.parent = parent;
    this.#node = node;
  }

  get segment(): PathSegment {
    return segmentOf(this.#node);
  }
}

function instancePath(place: DataPlace | undefined, below: string | undefined): string {
  const path: PathSegment[] = [];
  for (let at = place; at !== undefined; at = at.parent) if (at.segment !== undefined) path.push(at.segment);
  const text = formatInstancePath(path.reverse());
  return below === undefined ? text : `${text === "/" ? "" : text}/${below}`;
}

export interface Problem {
  readonly code: DataDiagnosticCode;
  readonly message: string;
  readonly place: DataPlace | undefined;
  /** A name below the place that the schema does not know. */
  readonly below?: string | undefined;
  readonly source?: SourcePosition | undefined;
  /** Where the other one stands, of two that exclude each other. */
  readonly other?: SourcePosition | undefined;
  readonly expected?: string | undefined;
  readonly remedy?: string | undefined;
}

interface Finding {
  readonly diagnostic: Diagnostic;
  readonly place: DataPlace | undefined;
  readonly below: string | undefined;
  readonly sources: readonly SourcePosition[];
}

/** Of each severity; what goes beyond is counted. A hostile text could hold millions. */
const MAX_FINDINGS = 1000;

/** Collects findings, so that one reading reports all of them. */
export class DataFindings {
  readonly #found: Record<DiagnosticSeverity, Finding[]> = { error: [], warning: [] };
  readonly #uncounted: Record<DiagnosticSeverity, number> = { error: 0, warning: 0 };

  error(problem: Problem): void {
    this.#note("error", problem);
  }

  warn(problem: Problem): void {
    this.#note("warning", problem);
  }

  /** The value, or undefined after noting why there is none. `where` is asked only when there is something to note. */
  valueOf<T>(result: Result<T>, where: () => Pick<Problem, "place" | "source">): T | undefined {
    const found = result.kind === "ok" ? result.warnings : result.diagnostics;
    if (found.length > 0) {
      const { place, source } = where();
      for (const diagnostic of found) this.#keep({ diagnostic, place, below: undefined, sources: given(source) });
    }
    return result.kind === "ok" ? result.value : undefined;
  }

  result<T>(value: T): Result<T> {
    const warnings = this.#diagnostics("warning");
    if (this.#found.error.length > 0) return failure([...this.#diagnostics("error"), ...warnings]);
    return ok(value, warnings);
  }

  #note(severity: DiagnosticSeverity, problem: Problem): void {
    const { code, message, expected, remedy, place, below, source, other } = problem;
    const diagnostic: Diagnostic = {
      code,
      severity,
      message,
      places: [],
      ...(expected === undefined ? {} : { expected }),
      ...(remedy === undefined ? {} : { remedy }),
    };
    this.#keep({ diagnostic, place, below, sources: given(source, other) });
  }

  #keep(finding: Finding): void {
    const { severity } = finding.diagnostic;
    if (this.#found[severity].length < MAX_FINDINGS) this.#found[severity].push(finding);
    else this.#uncounted[severity] += 1;
  }

  #diagnostics(severity: DiagnosticSeverity): Diagnostic[] {
    const diagnostics = this.#found[severity].map(({ diagnostic, place, below, sources }): Diagnostic => {
      const instance: DiagnosticPlace = { kind: "instance", path: instancePath(place, below) };
      const texts = sources.map((position): DiagnosticPlace => ({ kind: "source", position }));
      return { ...diagnostic, places: [instance, ...texts] };
    });
    const more = this.#uncounted[severity];
    if (more > 0) {
      const message = `${String(more)} more findings of severity ${severity} are not listed`;
      diagnostics.push({ code: "more-findings" satisfies DataDiagnosticCode, severity, message, places: [] });
    }
    return diagnostics;
  }
}

function given(...positions: readonly (SourcePosition | undefined)[]): readonly SourcePosition[] {
  return positions.filter((each) => each !== undefined);
}
