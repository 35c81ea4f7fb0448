/**
 * Rules for node methods that a network may serve in addition to the service's own methods. Only read-only methods are allowed. For methods of
 * development nodes, `methods/development-access.ts` applies instead.
 */

const METHOD_NAME = /^[a-z][a-zA-Z0-9]{0,31}_[a-zA-Z0-9_]{1,64}$/;
const NAMESPACE = /^[a-z][a-zA-Z0-9]{0,31}_\*$/;

/** Namespaces without servable methods, in lower case. The rules ignore case, because some nodes (Nethermind) ignore the case of method names. */
const CLOSED_NAMESPACES: ReadonlySet<string> = new Set([
  // Keys and accounts.
  ...['account', 'clef', 'personal', 'signer', 'vault', 'wallet', 'eea', 'priv'],
  // Administration of a node, its peers and its consensus.
  ...['admin', 'auctioneer', 'clique', 'engine', 'governance', 'ibft', 'istanbul', 'les', 'lespay', 'miner'],
  ...['opp2p', 'p2p', 'perm', 'plugins', 'qbft', 'quorumextension', 'quorumpermission', 'raft'],
  // Namespaces of development chains and of test drivers.
  ...['anvil', 'config', 'dev', 'evm', 'ganache', 'hardhat', 'hive', 'test', 'testing'],
  // Other protocols of old nodes, which store messages and identities.
  ...['bzz', 'db', 'shh'],
]);

/**
 * Words in names of methods that a network must not serve. Methods with these words write, sign, administer, access files on the node's machine, or
 * leave state in the node that answered (filters, subscriptions).
 */
const CLOSED_WORDS: readonly string[] = [
  ...['send', 'submit', 'resend', 'post', 'publish', 'broadcast', 'inject', 'sign', 'decrypt', 'accounts'],
  ...[
    'set',
    'reset',
    'unset',
    'add',
    'remove',
    'delete',
    'insert',
    'put',
    'clear',
    'change',
    'cancel',
    'drop',
  ],
  ...[
    'new',
    'uninstall',
    'subscribe',
    'unsubscribe',
    'watch',
    'coinbase',
    'mine',
    'propose',
    'discard',
    'vote',
  ],
  ...[
    'start',
    'stop',
    'enable',
    'disable',
    'open',
    'close',
    'kill',
    'shutdown',
    'restart',
    'reload',
    'upgrade',
  ],
  ...['connect', 'disconnect', 'ban', 'unban', 'accept', 'lock', 'unlock', 'free', 'gc', 'flush', 'prune'],
  ...['compact', 'chaindb', 'freeze', 'resync', 'migrate', 'rewind', 'rollback', 'revert', 'snapshot'],
  ...['import', 'export', 'write', 'file', 'dump', 'verbosity', 'vmodule', 'profile', 'backtrace', 'stacks'],
];

/** Matches a closed word at the beginning of a part of the name, in any case: `eth_sendTransaction`, `debug_bundler_clearState`. */
const BEGINS_CLOSED = new RegExp(
  `_(?:${CLOSED_WORDS.join('|')}|fillTransaction|getFilter|getWork|goTrace)`,
  'i',
);
/** Matches a closed word later in a part of the name: `debug_batchSendRawTransaction`, `debug_traceBlockFromFile`. */
const HOLDS_CLOSED = new RegExp(`(?:${CLOSED_WORDS.map(capitalize).join('|')})(?![a-z])`);
/** Matches `get` methods, which are read-only. Excluded are methods for mining work, and for filters, which return each change only once. */
const GETS = /^[a-z0-9]+_get(?!work|filter)[a-z0-9]*$/i;

/** Returns why a network must not serve a method or a namespace (`debug_*`); undefined if no rule excludes it. */
export function findNodeMethodProblem(name: string): string | undefined {
  if (NAMESPACE.test(name)) {
    return isClosedNamespace(name)
      ? `${name} has no read-only method: none of them can be served`
      : undefined;
  }
  if (!METHOD_NAME.test(name))
    return 'expected the name of a method such as debug_traceCall, or of a namespace such as debug_*';
  return onlyReads(name) ? undefined : `${name} is not read-only: it cannot be served`;
}

/** Whether a name is a valid method name that no rule excludes. */
export function isNodeMethod(name: string): boolean {
  return METHOD_NAME.test(name) && onlyReads(name);
}

function onlyReads(name: string): boolean {
  return (
    !isClosedNamespace(name) && (GETS.test(name) || !(BEGINS_CLOSED.test(name) || HOLDS_CLOSED.test(name)))
  );
}

function isClosedNamespace(name: string): boolean {
  return CLOSED_NAMESPACES.has(name.slice(0, name.indexOf('_')).toLowerCase());
}

function capitalize(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
