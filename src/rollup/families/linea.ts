import { estimateLineaGas } from '../linea/estimate.ts';
import { askNativeEstimate } from '../linea/native-estimate.ts';
import { readLineaInfo } from '../linea/read-info.ts';
import type { FamilyRow } from '../rollup-family.ts';

/** Linea and chains priced like it: what publishing costs is in each header's `extraData`. */
export const linea: FamilyRow = {
  name: 'linea',
  prefix: 'linea',
  gaps: {
    'ethContext.blockNumber': 'l1',
    'ethContext.timestamp': 'l1',
    'rollupContext.queueIndex': 'messageService',
  },
  create: (sources) => ({
    estimateGas: async (request, scope) =>
      (await askNativeEstimate(sources.chain, request, scope)) ??
      estimateLineaGas(sources.chain, request, scope),
    info: (scope) => readLineaInfo(sources, scope),
  }),
  recognise: async (probe) => /linea/i.test(await probe.readClient()) || probe.hasMethod('linea_estimateGas'),
};
