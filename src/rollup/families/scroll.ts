import { chainIdMark, clientMark, contractMark, methodMark } from '../marks.ts';
import type { FamilyRow } from '../rollup-family.ts';
import { estimateScrollGas } from '../scroll/estimate.ts';
import { L1_BASE_FEE, type ScrollPricing } from '../scroll/oracle.ts';
import { readScrollInfo } from '../scroll/read-info.ts';

const PRICING: ScrollPricing = {
  oracle: '0x5300000000000000000000000000000000000002',
  nodeMethod: 'scroll_estimateL1DataFee',
};

/** Scroll: data is charged in addition to gas. The node reports the data fee, or else the chain's contract does. */
export const scroll: FamilyRow = {
  name: 'scroll',
  gaps: { 'ethContext.timestamp': 'l1' },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateScrollGas(sources, PRICING, request, scope),
    info: (scope) => readScrollInfo(sources, scope),
  }),
  marks: [
    contractMark({ address: PRICING.oracle, selector: L1_BASE_FEE, call: 'l1BaseFee()' }),
    clientMark(/scroll/i),
    chainIdMark('scroll'),
    methodMark('scroll_getL1SyncHeight'),
  ],
};
