/** The lexical form of each statement's argument (RFC 7950 section 14). */

const IDENTIFIER = "[A-Za-z_][A-Za-z0-9_.-]*";
const NAME = `(?:${IDENTIFIER}:)?${IDENTIFIER}`;
const BLANK = "[ \\t\\r\\n]";
const NUMBER = "-?(?:0|[1-9][0-9]*|0[xX][0-9A-Fa-f]+|0[0-7]+)(?:\\.[0-9]+)?";
const BOUND = `(?:min|max|${NUMBER})`;
const PART = `${BOUND}(?:${BLANK}*\\.\\.${BLANK}*${BOUND})?`;

interface Form {
  readonly pattern: RegExp;
  readonly expected: string;
}

function form(pattern: string, expected: string): Form {
  return { pattern: new RegExp(`^(?:${pattern})$`), expected };
}

const PARTS = `${BLANK}*${PART}(?:${BLANK}*\\|${BLANK}*${PART})*${BLANK}*`;

const FORMS = {
  none: undefined,
  text: undefined,
  uri: form("[^\\s]+", "a URI"),
  identifier: form(IDENTIFIER, "an identifier"),
  "identifier-ref": form(NAME, "a name, with or without prefix"),
  boolean: form("true|false", "true or false"),
  date: form("[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])", "a date YYYY-MM-DD"),
  "yang-version": form("1|1\\.1", "1 or 1.1"),
  status: form("current|deprecated|obsolete", "current, deprecated or obsolete"),
  "ordered-by": form("user|system", "user or system"),
  deviate: form("not-supported|add|replace|delete", "not-supported, add, replace or delete"),
  modifier: form("invert-match", "invert-match"),
  "fraction-digits": form("[1-9]|1[0-8]", "1 to 18"),
  integer: form("-?(?:0|[1-9][0-9]*)", "an integer"),
  "non-negative": form("0|[1-9][0-9]*", "a non-negative integer"),
  "max-elements": form("unbounded|[1-9][0-9]*", "unbounded or a positive integer"),
  "enum-name": form("\\S|\\S[^]*\\S", "a name without blanks at its ends"),
  "if-feature": form("[^]*\\S[^]*", "a feature expression"),
  range: form(PARTS, "ranges such as 1..4 | 10..max"),
  length: form(PARTS, "lengths such as 1..4 | 10..max"),
  path: form("[^]*\\S[^]*", "a path"),
  key: form(`${BLANK}*${NAME}(?:${BLANK}+${NAME})*${BLANK}*`, "names of leafs with blanks between"),
  unique: form(
    `${BLANK}*${NAME}(?:/${NAME})*(?:${BLANK}+${NAME}(?:/${NAME})*)*${BLANK}*`,
    "paths of leafs with blanks between",
  ),
  "absolute-path": form(`(?:/${NAME})+`, "an absolute schema path"),
  "descendant-path": form(`${NAME}(?:/${NAME})*`, "a schema path that begins with a name"),
  "schema-path": form(`/?${NAME}(?:/${NAME})*`, "a schema path"),
} satisfies Readonly<Record<string, Form | undefined>>;

export type ArgumentForm = keyof typeof FORMS;

/** Why the argument does not have the form, as what was expected; undefined when it has. */
export function unexpectedArgument(argument: string, form: ArgumentForm): string | undefined {
  const rule: Form | undefined = FORMS[form];
  if (rule === undefined) return undefined;
  if (!rule.pattern.test(argument)) return rule.expected;
  return form === "date" && !isCalendarDay(argument) ? "a day that the calendar has" : undefined;
}

/** `argument` has the form YYYY-MM-DD. */
function isCalendarDay(argument: string): boolean {
  const [year = 0, month = 0, day = 0] = argument.split("-").map(Number);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
}
