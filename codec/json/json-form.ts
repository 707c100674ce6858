import type { BuiltInType } from "../../model/value.ts";

/** How a value stands in JSON. `empty` is the array `[null]`. */
export type JsonForm = "number" | "boolean" | "empty" | "string";

/** The one table of RFC 7951 section 6: integers of up to 32 bits are numbers, those of 64 bits and decimals strings. */
export function jsonFormOf(type: BuiltInType): JsonForm {
  switch (type) {
    case "int8":
    case "int16":
    case "int32":
    case "uint8":
    case "uint16":
    case "uint32":
      return "number";
    case "boolean":
    case "empty":
      return type;
    default:
      return "string";
  }
}
