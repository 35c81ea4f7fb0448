import { estimateLineaGas } from '../linea/estimate.ts';
import { readLineaInfo } from '../linea/read-info.ts';
import type { RollupFamily, RollupSources } from '../rollup-family.ts';

/** Linea and chains priced like it: what publishing costs is in each header's `extraData`. */
export function createLinea(sources: RollupSources): RollupFamily {
  return {
    name: 'linea',
    estimateGas: (request, scope) => estimateLineaGas(sources.chain, request, scope),
    info: (scope) => readLineaInfo(sources, scope),
  };
}
