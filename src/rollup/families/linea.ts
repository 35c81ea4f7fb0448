import { compareLineaEstimate } from '../linea/compare.ts';
import { estimateLineaGas } from '../linea/estimate.ts';
import { requestNativeEstimate } from '../linea/native-estimate.ts';
import { readLineaInfo } from '../linea/read-info.ts';
import { chainIdMark, clientMark, headerMark, methodMark } from '../marks.ts';
import type { FamilyRow } from '../rollup-family.ts';

/**
 * Matches Linea's `extraData`: 32 bytes, of which the first 13 are used. The `extraData` of the OP Stack's Jovian fork also begins with 01, but has
 * 17 bytes.
 */
const PRICES = /^0x01[0-9a-f]{24}0{38}$/i;

/** Linea and chains with its pricing: each header's `extraData` contains the publishing cost. */
export const linea: FamilyRow = {
  name: 'linea',
  gaps: {
    'ethContext.blockNumber': 'l1',
    'ethContext.timestamp': 'l1',
    'rollupContext.queueIndex': 'messageService',
  },
  create: (sources) => ({
    async estimateGas(request, scope) {
      const { chain, noteNative } = sources;
      const native = await requestNativeEstimate(chain, request, scope);
      if (native === undefined) return estimateLineaGas(chain, request, scope);
      noteNative?.((later) => compareLineaEstimate(chain, request, native, later));
      return native;
    },
    info: (scope) => readLineaInfo(sources, scope),
  }),
  marks: [
    headerMark('extraData holds prices: 01, three numbers, zeros', ({ extraData }) =>
      PRICES.test(String(extraData)),
    ),
    clientMark(/linea/i),
    chainIdMark('linea'),
    methodMark('linea_estimateGas'),
  ],
};
