/**
 * Methods of development nodes (anvil, Hardhat Network): they change the chain by request, sign with keys that the node holds, or tell of either.
 * `personal_*` is not among them: it is for keys of nodes that are no development nodes.
 */

const NAMESPACES: readonly string[] = ['anvil', 'evm', 'hardhat'];
const NAME_OF_NAMESPACE = new RegExp(`^(${NAMESPACES.join('|')})_[a-zA-Z0-9]{1,64}$`);

/** Further ones, by name. `eth_accounts` is a method of the service, which asks the node where it may. */
const NAMES: ReadonlySet<string> = new Set([
  'eth_sendTransaction',
  'eth_sendUnsignedTransaction',
  'eth_sign',
  'eth_signTransaction',
  'eth_signTypedData',
  'eth_signTypedData_v3',
  'eth_signTypedData_v4',
]);

/** All of them, as entries of a configuration: names, and namespaces as `anvil_*`. */
export const DEVELOPMENT_ENTRIES: readonly string[] = [...NAMESPACES.map((name) => `${name}_*`), ...NAMES];

/** What a method of development nodes is counted as: `anvil_*` for those of a namespace. Undefined for any other. */
export function findDevelopmentLabel(name: string): string | undefined {
  if (NAMES.has(name)) return name;
  const namespace = NAME_OF_NAMESPACE.exec(name)?.[1];
  return namespace === undefined ? undefined : `${namespace}_*`;
}
