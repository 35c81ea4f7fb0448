import { arbitrum } from './families/arbitrum.ts';
import { ethereum } from './families/ethereum.ts';
import { l2geth } from './families/l2geth.ts';
import { linea } from './families/linea.ts';
import { mantle } from './families/mantle.ts';
import { opStack } from './families/op-stack.ts';
import { polygonZkevm } from './families/polygon-zkevm.ts';
import { scroll } from './families/scroll.ts';
import { taiko } from './families/taiko.ts';
import { zksync } from './families/zksync.ts';
import type { FamilyRow } from './rollup-family.ts';

/** Every family. Where a chain could pass for several, the first one is meant: Mantle is an OP Stack chain too. */
export const FAMILIES: readonly FamilyRow[] = [
  linea,
  mantle,
  opStack,
  arbitrum,
  scroll,
  zksync,
  polygonZkevm,
  taiko,
  l2geth,
  ethereum,
];

/** The family of this name. @throws Error when there is none */
export function findFamily(name: string): FamilyRow {
  const row = FAMILIES.find((family) => family.name === name);
  if (row === undefined) throw new Error(`there is no rollup family ${name}`);
  return row;
}
