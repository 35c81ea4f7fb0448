import { maxBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readCount } from '../answers.ts';
import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import { chainIdMark, clientMark, methodMark } from '../marks.ts';
import { requestObject } from '../request.ts';
import type { FamilyRow, RollupInfo, RollupSources } from '../rollup-family.ts';
import { estimateGasWithoutL1Fee } from './ethereum.ts';

/** Taiko: the proposer of a block pays the layer 1 cost from the tips. */
export const taiko: FamilyRow = {
  name: 'taiko',
  gaps: { 'ethContext.timestamp': 'l1', 'rollupContext.queueIndex': 'always' },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateGasWithoutL1Fee(sources, request, scope),
    info: (scope) => readTaikoInfo(sources, scope),
  }),
  marks: [
    {
      kind: 'contract',
      says: 'there is an anchor contract at 0x<chain id>0..010001',
      see: (probe) => probe.hasCode(anchorOf(probe.chainId)),
    },
    clientMark(/taiko|alethia/i),
    chainIdMark('taiko'),
    methodMark('taiko_headL1Origin'),
  ],
};

/** Returns the anchor address in the chain's genesis: the digits of the chain id, zeros, 10001. */
function anchorOf(chainId: bigint): string {
  return `0x${chainId.toString().padEnd(35, '0')}10001`;
}

async function readTaikoInfo(sources: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const { chain, mode } = sources;
  const [node, head, origin] = await Promise.all([
    readNode(chain, 'finalized', scope),
    readL1Head(sources, scope),
    requestObject(chain, 'taiko_headL1Origin', [], scope),
  ]);
  const number = readCount(origin['l1BlockHeight']);
  // Without a configured layer 1, the layer 1 block from which the head is derived is reported instead of layer 1's head.
  const l1 = head ?? (number === undefined ? undefined : { number, timestamp: 0n });
  // Blocks after `blockID` are only preconfirmed by a proposer, and not yet posted to layer 1.
  const posted = readCount(origin['blockID']) ?? 0n;
  return composeInfo(mode, { ...node, verified: maxBigInt(posted, node.verified) }, { l1 });
}
