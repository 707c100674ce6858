/** The package has types, but its `exports` hide them from Node-style resolution. */
declare module "xspattern" {
  /** A matcher for whole texts. Throws when `pattern` is no regular expression of the language. */
  export function compile(pattern: string, options?: { readonly language: "xsd" | "xpath" }): (text: string) => boolean;
}
