import { findNearName } from '../util/near-name.ts';
import { FAMILY_NAMES } from './family-table.ts';
import { KNOWN_CHAINS } from './known-chains.ts';
import type { FamilyName } from './wire-names.ts';

/** Other names of families: software, stacks and method prefixes, in lower case without dashes. */
const OTHER_NAMES: Readonly<Record<string, FamilyName>> = {
  op: 'op-stack',
  optimism: 'op-stack',
  bedrock: 'op-stack',
  opgeth: 'op-stack',
  opreth: 'op-stack',
  superchain: 'op-stack',
  arb: 'arbitrum',
  nitro: 'arbitrum',
  orbit: 'arbitrum',
  mnt: 'mantle',
  era: 'zksync',
  zks: 'zksync',
  zkstack: 'zksync',
  elasticchain: 'zksync',
  zkevm: 'polygon-zkevm',
  hermez: 'polygon-zkevm',
  cdk: 'polygon-zkevm',
  cdkerigon: 'polygon-zkevm',
  ovm: 'l2geth',
  andromeda: 'l2geth',
  mainnet: 'ethereum',
  geth: 'ethereum',
  l1: 'ethereum',
  none: 'ethereum',
};

/**
 * Returns the family that an unknown name probably means, by another name of the family or by the name of one of its chains: `op-stack` for `base`.
 * Returns undefined if the name is similar to the name of a family.
 */
export function findFamilyMeant(name: string): string | undefined {
  const text = simplify(name);
  if (text === '' || findNearName(name, FAMILY_NAMES) !== undefined) return undefined;
  if (Object.hasOwn(OTHER_NAMES, text)) return OTHER_NAMES[text];
  return FAMILY_NAMES.find((family) => KNOWN_CHAINS[family]?.some((chain) => simplify(chain.name) === text));
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
