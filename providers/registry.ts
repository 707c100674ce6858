/** Providers by name. Filled from one list at the start of the worker; no import registers anything by itself. */
import type { Provider } from "./capability.ts";
import { ProviderError, ProviderErrorCode } from "./error.ts";

export class ProviderRegistry {
  readonly #providers = new Map<string, Provider>();

  /** Throws on a name that is taken: two providers of one name are a mistake of the build, found at start. */
  register(provider: Provider): void {
    if (this.#providers.has(provider.name)) throw new Error(`provider ${provider.name} is registered twice`);
    this.#providers.set(provider.name, provider);
  }

  /** Throws InvalidArgument naming the known ones. */
  get(name: string): Provider {
    const provider = this.#providers.get(name);
    if (provider !== undefined) return provider;
    throw new ProviderError({
      code: ProviderErrorCode.InvalidArgument,
      message: `no provider ${name}`,
      details: [{ fieldPath: "provider", description: `known: ${this.names().join(", ")}` }],
    });
  }

  names(): readonly string[] {
    return [...this.#providers.keys()].sort();
  }
}
