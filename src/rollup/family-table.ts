import { createArbitrum } from './families/arbitrum.ts';
import { createEthereum } from './families/ethereum.ts';
import { createL2geth } from './families/l2geth.ts';
import { createLinea } from './families/linea.ts';
import { createMantle } from './families/mantle.ts';
import { createOpStack } from './families/op-stack.ts';
import { createPolygonZkevm } from './families/polygon-zkevm.ts';
import { createScroll } from './families/scroll.ts';
import { createTaiko } from './families/taiko.ts';
import { createZksync } from './families/zksync.ts';
import type { FamilyName } from './options.ts';
import type { RollupFamily, RollupSources } from './rollup-family.ts';

/** Every family. */
export const FAMILIES: Readonly<Record<FamilyName, (sources: RollupSources) => RollupFamily>> = {
  linea: createLinea,
  'op-stack': createOpStack,
  mantle: createMantle,
  arbitrum: createArbitrum,
  scroll: createScroll,
  zksync: createZksync,
  'polygon-zkevm': createPolygonZkevm,
  taiko: createTaiko,
  l2geth: createL2geth,
  ethereum: createEthereum,
};
