import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import { chainIdMark, clientMark, contractMark, methodMark } from '../marks.ts';
import type { FamilyRow } from '../rollup-family.ts';
import { estimateScrollGas } from '../scroll/estimate.ts';
import { L1_BASE_FEE, type ScrollPricing } from '../scroll/oracle.ts';

const PRICING: ScrollPricing = {
  oracle: '0x530000000000000000000000000000000000000f',
  nodeMethod: 'morph_estimateL1DataFee',
};

/** Morph: Scroll's pricing at the Curie fork, with an oracle of its own. No node method reports the layer 1 progress of Morph's sequencers. */
export const morph: FamilyRow = {
  name: 'morph',
  gaps: {
    'ethContext.blockNumber': 'l1',
    'ethContext.timestamp': 'l1',
    'rollupContext.queueIndex': 'always',
  },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateScrollGas(sources, PRICING, request, scope),
    info: async (scope) => {
      const [node, l1] = await Promise.all([
        readNode(sources.chain, 'safe', scope),
        readL1Head(sources, scope),
      ]);
      return composeInfo(sources.mode, node, { l1 });
    },
  }),
  marks: [
    contractMark({ address: PRICING.oracle, selector: L1_BASE_FEE, call: 'l1BaseFee()' }),
    clientMark(/morph/i),
    chainIdMark('morph'),
    methodMark('morph_estimateL1DataFee'),
  ],
};
