/** Access rules for methods of a development node. These methods change the chain for all clients, and sign with keys that the node stores. */

/** Properties of a client that do not depend on its key. */
export type ClientFacts = {
  /** IP address. */
  readonly address: string;
  /** Origin header of the page that sends the request; undefined for non-browser clients. */
  readonly origin: string | undefined;
  /** Whether the request has a header that proxies add, such as `X-Forwarded-For`. */
  readonly isForwarded: boolean;
};

/** Network configuration for development methods. */
export type DevelopmentRule = {
  /**
   * Whether the configuration has `methods.development: true`. With this setting, development methods are also served to remote clients and behind
   * proxies.
   */
  readonly isEverywhere: boolean;
  /** Whether the service listens on a loopback address. */
  readonly listensOnLoopback: boolean;
  /** Whether trusted proxies are configured. Trusted proxies mean that a proxy stands in front of the service. */
  readonly hasTrustedProxies: boolean;
  /** Configured CORS origins, lower case. A configured CORS origin `*` does not give any page access to development methods. */
  readonly origins: ReadonlySet<string>;
};

/** Key permissions that development methods depend on. */
type KeyBounds = { readonly maySend: boolean; readonly bindsContracts: boolean };

/** Condition of development access that a client does not meet. */
type DevelopmentCondition =
  | 'listener'
  | 'trustedProxies'
  | 'address'
  | 'proxy'
  | 'origin'
  | 'contracts'
  | 'sending'
  | 'unknown';

const EVERYWHERE =
  'or set methods.development: true for the network, which opens these methods to every client';

/** Messages that refuse a development method, by unmet condition. Each message completes a sentence that begins with the method's name. */
const REFUSALS: Readonly<Record<DevelopmentCondition, string>> = {
  listener: `is only for clients on this machine, but the service listens beyond it: set listen.host to 127.0.0.1, ${EVERYWHERE}`,
  trustedProxies: `is only for clients without a proxy, but listen.trustedProxies names proxies: remove them, ${EVERYWHERE}`,
  address: `is only for clients on this machine, but this client has another address: call from this machine, ${EVERYWHERE}`,
  proxy: `is only for clients without a proxy, but this request has a header of a proxy (Forwarded, X-Forwarded-*, Via or X-Real-IP): call the service directly, ${EVERYWHERE}`,
  origin:
    'is only for pages whose origin the configuration names: add it to cors.origins (* does not name it)',
  contracts: 'is not for keys that are bound to contracts: use another key',
  sending: 'is not for keys with send: false: use another key',
  unknown: 'cannot be checked for this client yet: call again',
};

/** Access decision: `granted`, or the first condition that the client does not meet. */
export type DevelopmentAccess = 'granted' | DevelopmentCondition;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1)$/;
/**
 * Origin header of pages that have no origin of their own (files, sandboxed frames). Unrelated pages share the value `null`, so it never grants
 * access.
 */
const NO_ORIGIN = 'null';

/**
 * Decides whether a client may call methods of a development node.
 * @param key undefined for a key without restrictions
 */
export function authorizeClient(
  rule: DevelopmentRule,
  { address, origin, isForwarded }: ClientFacts,
  key: KeyBounds | undefined,
): DevelopmentAccess {
  if (key?.bindsContracts === true) return 'contracts';
  if (key?.maySend === false) return 'sending';
  if (origin !== undefined && !isNamed(rule, origin)) return 'origin';
  if (rule.isEverywhere) return 'granted';
  if (!rule.listensOnLoopback) return 'listener';
  if (rule.hasTrustedProxies) return 'trustedProxies';
  if (!LOOPBACK.test(address)) return 'address';
  return isForwarded ? 'proxy' : 'granted';
}

function isNamed({ origins }: DevelopmentRule, origin: string): boolean {
  const provided = origin.toLowerCase();
  return provided !== NO_ORIGIN && origins.has(provided);
}

/** Returns why a client may not call a method, or undefined if it may. */
export function explainRefusal(access: DevelopmentAccess | undefined, method: string): string | undefined {
  if (access === 'granted') return undefined;
  return `the method ${method} ${REFUSALS[access ?? 'unknown']}`;
}
