/**
 * The only globals beyond the language itself that pure folders may use. Both exist in Node and in Temporal's
 * workflow sandbox and depend on their input alone. Everything else (timers, console, process, files, clocks) is
 * left undeclared on purpose, so that using it in a pure folder is a compile error.
 */

interface TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
declare var TextEncoder: { new (): TextEncoder };

interface TextDecoder {
  decode(input?: Uint8Array): string;
}
declare var TextDecoder: {
  new (label?: "utf-8", options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean }): TextDecoder;
};
