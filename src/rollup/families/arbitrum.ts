import type { RequestScope } from '../../util/request-scope.ts';
import { readArbitrumInfo } from '../arbitrum/read-info.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { readBasics } from '../estimate/read-basics.ts';
import { chainIdMark, clientMark, headerMark } from '../marks.ts';
import type { FamilyRow } from '../rollup-family.ts';

/**
 * Arbitrum Nitro: the node's gas estimate includes the layer 1 cost, and tips are dropped, so no tip is requested. NodeInterface also reports the
 * layer 1 part of the gas separately. This part must remain in the gas limit: with a lower limit the transaction fails.
 */
export const arbitrum: FamilyRow = {
  name: 'arbitrum',
  gaps: {},
  create: (sources) => ({
    async estimateGas(request, scope) {
      const pinned = await pinBlock(sources.chain, request.block, scope);
      const { gasLimit, baseFeePerGas = 0n } = await readBasics(sources.chain, request, pinned, scope);
      return { gasLimit, baseFeePerGas, priorityFeePerGas: 0n };
    },
    info: (scope: RequestScope) => readArbitrumInfo(sources, scope),
  }),
  marks: [
    headerMark(
      'the header has l1BlockNumber and sendCount',
      (header) => 'l1BlockNumber' in header && 'sendCount' in header,
    ),
    clientMark(/^nitro\//i),
    chainIdMark('arbitrum'),
  ],
};
