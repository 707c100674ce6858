/** The tables of a schema document read: texts, positions, expressions and the lists of what nodes have many of. */
import type {
  CaseMembership,
  DataSchemaNode,
  MustConstraint,
  SchemaExpression,
  SchemaExtension,
  WhenConstraint,
} from "../schema.ts";
import { LazyTable, NOTHING, type Packed, type SchemaBody, array, number, pairs } from "./schema-body.ts";

type Place = Packed[number] | undefined;

/** What stands once in the document and is the same object wherever its place is named. Place 0 is nothing. */
export class SchemaTables {
  readonly #strings: readonly string[];
  readonly #prefixes: LazyTable<ReadonlyMap<string, string>>;
  readonly #expressions: LazyTable<SchemaExpression>;
  readonly #caseLists: LazyTable<readonly CaseMembership[]>;
  readonly #whenLists: LazyTable<readonly WhenConstraint[]>;
  readonly #mustLists: LazyTable<readonly MustConstraint[]>;
  readonly #textLists: LazyTable<readonly string[]>;
  readonly #extensionLists: LazyTable<readonly SchemaExtension[]>;

  constructor(body: SchemaBody) {
    this.#strings = body.strings;
    this.#prefixes = new LazyTable(
      body.prefixes,
      (row) => new Map(pairs(row).map(([a, b]) => [this.text(a), this.text(b)])),
    );
    this.#expressions = new LazyTable(body.expressions, (row) => this.#expression(row));
    this.#caseLists = new LazyTable(body.lists, (row) =>
      pairs(row).map(([choice, each]) => ({ choice: this.text(choice), case: this.text(each) })),
    );
    this.#whenLists = new LazyTable(body.lists, (row) =>
      pairs(row).map(([expression, self]) => ({
        expression: this.expression(expression),
        context: self === 1 ? "self" : "parent",
      })),
    );
    this.#mustLists = new LazyTable(body.lists, (row) => this.#musts(row));
    this.#textLists = new LazyTable(body.lists, (row) => row.map((each) => this.text(each)));
    this.#extensionLists = new LazyTable(body.extensions, (row) => row.map((each) => this.#extension(array(each))));
  }

  text(place: Place): string {
    return this.#strings[number(place) - 1] ?? "";
  }

  optional(place: Place): string | undefined {
    return this.#strings[number(place) - 1];
  }

  texts(place: Place): readonly string[] {
    return listAt(this.#textLists, place);
  }

  /** Of the three numbers from `at`. */
  position(row: Packed, at: number): DataSchemaNode["position"] {
    return { source: this.text(row[at]), line: number(row[at + 1]), column: number(row[at + 2]) };
  }

  expression(place: Place): SchemaExpression {
    return this.#expressions.at(number(place));
  }

  cases(place: Place): readonly CaseMembership[] {
    return listAt(this.#caseLists, place);
  }

  whens(place: Place): readonly WhenConstraint[] {
    return listAt(this.#whenLists, place);
  }

  musts(place: Place): readonly MustConstraint[] {
    return listAt(this.#mustLists, place);
  }

  extensions(place: Place): readonly SchemaExtension[] {
    return listAt(this.#extensionLists, place);
  }

  #expression(row: Packed): SchemaExpression {
    return {
      text: this.text(row[0]),
      prefixes: this.#prefixes.at(number(row[1])),
      module: this.text(row[2]),
      definedIn: this.text(row[3]),
      position: this.position(row, 4),
    };
  }

  #musts(row: Packed): readonly MustConstraint[] {
    const musts: MustConstraint[] = [];
    for (let at = 0; at < row.length; at += 3)
      musts.push({
        expression: this.expression(row[at]),
        errorMessage: this.optional(row[at + 1]),
        errorAppTag: this.optional(row[at + 2]),
      });
    return musts;
  }

  #extension(row: Packed): SchemaExtension {
    return {
      module: this.text(row[0]),
      name: this.text(row[1]),
      argument: this.optional(row[2]),
      children: array(row[3]).map((child) => this.#extension(array(child))),
    };
  }
}

function listAt<T>(table: LazyTable<readonly T[]>, place: Place): readonly T[] {
  return place === 0 ? NOTHING : table.at(number(place));
}
