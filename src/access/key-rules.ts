import type { KeySettings } from './keys/key-settings.ts';

/** Properties of a request that are checked against the allow lists of a key. */
export type RequestPlace = {
  readonly network: string;
  readonly origin: string | undefined;
  readonly userAgent: string | undefined;
};

const ADDRESS_LENGTH = 42;

/** Allow lists of a key. An absent list allows everything. A request must match at least one entry of each present list. */
export class KeyRules {
  readonly #networks: ReadonlySet<string> | undefined;
  readonly #methods: ReadonlySet<string> | undefined;
  readonly #addresses: ReadonlySet<string> | undefined;
  readonly #origins: readonly string[] | undefined;
  readonly #userAgents: readonly string[] | undefined;
  /** Whether the key may send transactions. */
  readonly maySend: boolean;

  private constructor({ networks, methods, addresses, origins, userAgents, send = true }: KeySettings) {
    this.#networks = networks && new Set(networks);
    this.#methods = methods && new Set(methods);
    this.#addresses = addresses && new Set(addresses);
    this.#origins = origins;
    this.#userAgents = userAgents;
    this.maySend = send;
  }

  /** Returns the rules of a key's settings, or undefined for settings without restrictions. */
  static of(settings: KeySettings): KeyRules | undefined {
    const { networks, methods, addresses, origins, userAgents, send = true } = settings;
    return send && [networks, methods, addresses, origins, userAgents].every((list) => list === undefined)
      ? undefined
      : new KeyRules(settings);
  }

  admits({ network, origin, userAgent }: RequestPlace): boolean {
    if (this.#networks?.has(network) === false) return false;
    if (this.#origins !== undefined && !matchesOrigin(this.#origins, origin)) return false;
    return (
      this.#userAgents === undefined || this.#userAgents.some((part) => userAgent?.includes(part) === true)
    );
  }

  /** Whether the key may call a method. A list entry may be the name in the request, or the name in the method table, such as `l2_estimateGas`. */
  allowsMethod(wireName: string, name: string): boolean {
    return this.#methods === undefined || this.#methods.has(wireName) || this.#methods.has(name);
  }

  /** Whether the key restricts the contracts that calls may use. */
  get bindsContracts(): boolean {
    return this.#addresses !== undefined;
  }

  /**
   * Whether the key's list contains every contract that a call uses.
   * @param contractScope returns the contracts that a call with `params` uses, or `anything` if they are unknown
   */
  allowsContracts(
    contractScope: (params: readonly unknown[]) => readonly unknown[] | 'anything',
    params: readonly unknown[],
  ): boolean {
    const addresses = this.#addresses;
    if (addresses === undefined) return true;
    const touched = contractScope(params);
    return (
      touched !== 'anything' &&
      touched.every(
        (address) =>
          typeof address === 'string' &&
          address.length === ADDRESS_LENGTH &&
          addresses.has(address.toLowerCase()),
      )
    );
  }
}

/** Whether an origin matches a pattern. `https://*.example.org` matches every subdomain, but not the domain itself. */
function matchesOrigin(patterns: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined) return false;
  const provided = origin.toLowerCase();
  return patterns.some((pattern) => {
    const star = pattern.indexOf('*');
    if (star < 0) return provided === pattern;
    const [scheme, suffix] = [pattern.slice(0, star), pattern.slice(star + 1)];
    if (!provided.startsWith(scheme) || !provided.endsWith(suffix)) return false;
    return /^[a-z0-9_.-]+$/.test(provided.slice(scheme.length, provided.length - suffix.length));
  });
}
