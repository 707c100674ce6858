import fc from "fast-check";
import { expect, it } from "vitest";
import { plainNumber } from "../../codec/json/plain-number.ts";

it.each([
  ["0", "0"],
  ["-0", "-0"],
  ["18446744073709551615", "18446744073709551615"],
  ["1e1", "10"],
  ["1E+1", "10"],
  ["0.1e2", "10"],
  ["10e-1", "1"],
  ["-25e-1", "-2.5"],
  ["1.0", "1"],
  ["-0.0", "0"],
  ["0e999999999999", "0"],
  ["0.00e-5", "0"],
  ["1e-7", "0.0000001"],
  ["1.50", "1.5"],
  ["0.10", "0.1"],
  ["1.8446744073709551615e19", "18446744073709551615"],
  ["9007199254740993.000", "9007199254740993"],
  ["1e400", `1${"0".repeat(400)}`],
])("%s is %s", (text, plain) => {
  expect(plainNumber(text)).toBe(plain);
});

it.each(["1e1000", "1e-1001", "1e999999999999999999999", "-1E-99999", `0.${"1".repeat(1001)}`])(
  "%.30s stays as it is: nothing that long is made, and no type holds it",
  (text) => {
    expect(plainNumber(text)).toBe(text);
  },
);

/** The number times 10^60, exactly. */
function scaled(text: string): bigint {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(whole + fraction + "0".repeat(60 - fraction.length + Number(exponent)));
}

it("changes the spelling and never the number", () => {
  const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?([eE][-+]?[0-3]?[0-9])?$/);
  fc.assert(
    fc.property(number, (text) => {
      const plain = plainNumber(text);
      expect(plain).toMatch(/^-?\d+(\.\d*[1-9])?$/);
      expect(scaled(plain)).toBe(scaled(text));
    }),
    { numRuns: 1000 },
  );
});
