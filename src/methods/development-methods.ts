/**
 * Methods of development nodes (anvil, Hardhat Network): they change the chain, sign with keys that the node holds, or report on either.
 * `personal_*` is excluded: it manages keys of nodes that are not development nodes.
 */

const NAMESPACES: readonly string[] = ['anvil', 'evm', 'hardhat'];
const NAME_OF_NAMESPACE = new RegExp(`^(${NAMESPACES.join('|')})_[a-zA-Z0-9]{1,64}$`);

/** Methods outside these namespaces. `eth_accounts` is a method of the service, which queries the node where that is allowed. */
const NAMES: ReadonlySet<string> = new Set([
  'eth_sendTransaction',
  'eth_sendUnsignedTransaction',
  'eth_sign',
  'eth_signTransaction',
  'eth_signTypedData',
  'eth_signTypedData_v3',
  'eth_signTypedData_v4',
]);

/** All development methods as configuration entries: method names, and namespaces such as `anvil_*`. */
export const DEVELOPMENT_ENTRIES: readonly string[] = [...NAMESPACES.map((name) => `${name}_*`), ...NAMES];

/** Returns the metrics label of a development method: its name, or `anvil_*` for a namespace. Undefined for any other method. */
export function findDevelopmentLabel(name: string): string | undefined {
  if (NAMES.has(name)) return name;
  const namespace = NAME_OF_NAMESPACE.exec(name)?.[1];
  return namespace === undefined ? undefined : `${namespace}_*`;
}
