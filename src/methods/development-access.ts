/** Who may call methods of a development node: they change the chain for everybody, and sign with keys that the node holds. */

/** What is known of a client beside its key. */
export type ClientFacts = {
  /** IP address. */
  readonly address: string;
  /** Of the page that asks; undefined for what is no browser. */
  readonly origin: string | undefined;
  /** A proxy has passed the request on, and says so. */
  readonly isForwarded: boolean;
};

/** What a network's configuration says of them. */
export type DevelopmentRule = {
  /** They are served beyond this machine and behind proxies, too: `methods.development: true`. */
  readonly isEverywhere: boolean;
  /** Whether the service listens on a loopback address. */
  readonly listensOnLoopback: boolean;
  /** Whether proxies are trusted to name clients: then one stands before the service. */
  readonly hasTrustedProxies: boolean;
  /** Origins that the configuration names, lower case. `*` names none. */
  readonly origins: ReadonlySet<string>;
};

/** What a key allows, as far as it matters here. */
type KeyBounds = { readonly maySend: boolean; readonly bindsContracts: boolean };

/** A condition that a client may not meet. */
type DevelopmentCondition =
  | 'listener'
  | 'trustedProxies'
  | 'address'
  | 'proxy'
  | 'origin'
  | 'contracts'
  | 'sending'
  | 'unknown';

const EVERYWHERE = 'or set methods.development: true for the network, which serves them to every client';

/** What is said where a condition is not met: the rest of a sentence about a method. */
const REFUSALS: Readonly<Record<DevelopmentCondition, string>> = {
  listener: `is for clients of this machine, and the service listens beyond it: set listen.host to 127.0.0.1, ${EVERYWHERE}`,
  trustedProxies: `is for clients that no proxy stands before, and listen.trustedProxies names some: remove them, ${EVERYWHERE}`,
  address: `is for clients of this machine, and this one has another address: call from it, ${EVERYWHERE}`,
  proxy: `is for clients that no proxy stands before, and this request has a header of one (Forwarded, X-Forwarded-*, Via or X-Real-IP): call the service itself, ${EVERYWHERE}`,
  origin: 'is for pages whose origin the configuration names: add it to cors.origins, where * names none',
  contracts: 'is not for keys that are bound to contracts: use another key',
  sending: 'is not for keys with send: false: use another key',
  unknown: 'is not known to be open to this client: call again',
};

/** Whether a client may call these methods, or the condition that it does not meet. */
export type DevelopmentAccess = 'granted' | DevelopmentCondition;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1)$/;
/** Pages without an origin of their own have this one: files, sandboxed frames. Whoever names it names all of them. */
const NO_ORIGIN = 'null';

/** Whether a client may call methods of a development node. @param key undefined where it is bound to nothing */
export function judgeClient(
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
  const given = origin.toLowerCase();
  return given !== NO_ORIGIN && origins.has(given);
}

/** Why a client may not call a method; undefined where it may. */
export function explainRefusal(access: DevelopmentAccess | undefined, method: string): string | undefined {
  if (access === 'granted') return undefined;
  return `the method ${method} ${REFUSALS[access ?? 'unknown']}`;
}
