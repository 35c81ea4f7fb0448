/**
 * Methods of development nodes (anvil, Hardhat Network). Such methods change the chain, sign with keys that the node stores, or report on the chain
 * or on these keys. `personal_*` is excluded, because it manages keys of nodes that are not development nodes.
 */

const NAMESPACES: readonly string[] = ['anvil', 'evm', 'hardhat'];
const NAME_OF_NAMESPACE = new RegExp(`^(${NAMESPACES.join('|')})_[a-zA-Z0-9]{1,64}$`);

/**
 * Names of development methods outside `NAMESPACES`. `eth_accounts` is not in this set: the service implements it, and queries the node for clients
 * with development access.
 */
const NAMES: ReadonlySet<string> = new Set([
  'eth_sendTransaction',
  'eth_sendUnsignedTransaction',
  'eth_sign',
  'eth_signTransaction',
  'eth_signTypedData',
  'eth_signTypedData_v3',
  'eth_signTypedData_v4',
]);

/** All development methods as configuration entries: namespaces such as `anvil_*`, and names of single methods. */
export const DEVELOPMENT_ENTRIES: readonly string[] = [...NAMESPACES.map((name) => `${name}_*`), ...NAMES];

/** Returns the metrics label of a development method: its name, or its namespace such as `anvil_*`. Returns undefined for any other method. */
export function findDevelopmentLabel(name: string): string | undefined {
  if (NAMES.has(name)) return name;
  const namespace = NAME_OF_NAMESPACE.exec(name)?.[1];
  return namespace === undefined ? undefined : `${namespace}_*`;
}
