import type { CallRequest, CallScope, Chain } from '../chain/chain.ts';
import { estimateLineaGas } from './linea-estimate.ts';
import { readLineaInfo } from './linea-info.ts';
import type { GasEstimate, RollupFamily, RollupInfo } from './rollup-family.ts';

export type LineaOptions = {
  readonly chain: Chain;
  readonly l1?: Chain;
  readonly mode: RollupInfo['mode'];
  /** Address of the L2 message service. */
  readonly messageService?: string;
};

/** Linea and chains priced like it: what publishing costs is in each header's `extraData`. */
export function createLinea({ chain, l1, mode, messageService }: LineaOptions): RollupFamily {
  const sources = { chain, l1, mode, messageService };
  return {
    name: 'linea',
    estimateGas: (request: CallRequest, scope: CallScope): Promise<GasEstimate> =>
      estimateLineaGas(chain, request, scope),
    info: (scope: CallScope): Promise<RollupInfo> => readLineaInfo(sources, scope),
  };
}
