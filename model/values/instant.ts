/**
 * Points in time. A date-and-time (RFC 6991 section 3) has as many spellings as there are offsets to UTC, and its
 * canonical one has the offset of the device, which only the device knows. So such values are compared as instants.
 */
import { simpleTypesOf } from "./canonical-value.ts";
import type { TypeSchema } from "../schema.ts";
import type { Value } from "../value.ts";

const TYPEDEFS = ["ietf-yang-types:date-and-time", "openconfig-yang-types:date-and-time"];

/**
 * Are both values of a type date-and-time, and the same instant? False for values of any other type, equal ones too. The
 * offset `-00:00` says that the offset is not known (RFC 3339 section 4.3): such a time equals only others like it.
 */
export function isSameInstant(type: TypeSchema, a: Value, b: Value): boolean {
  if (a.kind === "sealed" || b.kind === "sealed" || a.type !== "string" || b.type !== "string") return false;
  const strings = simpleTypesOf(type).filter((each) => each.kind === "string");
  if (strings.length === 0 || !strings.every((each) => each.typedefs.some((typedef) => TYPEDEFS.includes(typedef))))
    return false;
  const instant = instantOf(a.text);
  return instant !== undefined && instant === instantOf(b.text);
}

const RFC_3339 =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$/;

/** Minutes since 1970, seconds (60 is a leap second, and another instant than 0) and their fraction, exactly. */
function instantOf(text: string): string | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const number = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day, hours, minutes, seconds] = [1, 2, 3, 4, 5, 6].map(number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (hours === undefined || minutes === undefined || seconds === undefined) return undefined;
  const [offsetHours, offsetMinutes] = [number(9), number(10)];
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!isDate || hours > 23 || minutes > 59 || seconds > 60 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offset = (match[8] === "-" ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  const zone = match[8] === "-" && offset === 0 ? "local" : "utc";
  const minute = daysSinceEpoch(year, month, day) * 1440 + hours * 60 + minutes - offset;
  const fraction = Array.from(match[7] ?? "");
  while (fraction.at(-1) === "0") fraction.pop();
  return `${zone} ${String(minute)}:${String(seconds)}.${fraction.join("")}`;
}

function daysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Of the Gregorian calendar; years begin in March here, so that the leap day is the last of its year. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const march = month > 2 ? month - 3 : month + 9;
  const since = month > 2 ? year : year - 1;
  const leaps = Math.floor(since / 4) - Math.floor(since / 100) + Math.floor(since / 400);
  return since * 365 + leaps + Math.floor((march * 153 + 2) / 5) + day - 1 - 719_468;
}
