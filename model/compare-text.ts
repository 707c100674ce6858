/** By UTF-16 code units, so that the order is the same on every machine and in every locale. For `sort`. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
