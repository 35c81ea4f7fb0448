import type { KeySettings } from './keys/key-settings.ts';

/** Where a request comes from and goes to, as far as keys may be bound to it. */
export type RequestPlace = {
  readonly network: string;
  readonly origin: string | undefined;
  readonly userAgent: string | undefined;
};

const ADDRESS_LENGTH = 42;

/** The lists of a key. Each of them must allow a request; of a list one entry is enough. */
export class KeyRules {
  readonly #networks: ReadonlySet<string> | undefined;
  readonly #methods: ReadonlySet<string> | undefined;
  readonly #addresses: ReadonlySet<string> | undefined;
  readonly #origins: readonly string[] | undefined;
  readonly #userAgents: readonly string[] | undefined;
  /** Whether transactions may be sent. */
  readonly maySend: boolean;

  private constructor({ networks, methods, addresses, origins, userAgents, send = true }: KeySettings) {
    this.#networks = networks && new Set(networks);
    this.#methods = methods && new Set(methods);
    this.#addresses = addresses && new Set(addresses);
    this.#origins = origins;
    this.#userAgents = userAgents;
    this.maySend = send;
  }

  /** Undefined when the settings forbid nothing. */
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

  /** By the name on the wire, or the one in the table. */
  allowsMethod(wireName: string, name: string): boolean {
    return this.#methods === undefined || this.#methods.has(wireName) || this.#methods.has(name);
  }

  /** Whether calls may touch certain contracts only. */
  get bindsContracts(): boolean {
    return this.#addresses !== undefined;
  }

  /**
   * Whether everything that a call touches is an address of the list.
   * @param touches names what a call with `params` touches; `anything` where that is not known
   */
  allowsContracts(
    touches: (params: readonly unknown[]) => readonly unknown[] | 'anything',
    params: readonly unknown[],
  ): boolean {
    const addresses = this.#addresses;
    if (addresses === undefined) return true;
    const touched = touches(params);
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

/** `https://*.example.org` is every name below, not the name itself. */
function matchesOrigin(patterns: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined) return false;
  const given = origin.toLowerCase();
  return patterns.some((pattern) => {
    const star = pattern.indexOf('*');
    if (star < 0) return given === pattern;
    const [scheme, suffix] = [pattern.slice(0, star), pattern.slice(star + 1)];
    if (!given.startsWith(scheme) || !given.endsWith(suffix)) return false;
    return /^[a-z0-9_.-]+$/.test(given.slice(scheme.length, given.length - suffix.length));
  });
}
