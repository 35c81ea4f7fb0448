import type { RequestScope } from '../../util/request-scope.ts';
import { readCount } from '../answers.ts';
import { askObject } from '../ask.ts';
import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import type { FamilyRow, RollupInfo, RollupSources } from '../rollup-family.ts';
import { estimatePlainGas } from './ethereum.ts';

/** Taiko: the proposer of a block bears the cost of layer 1 and has the tips for it. */
export const taiko: FamilyRow = {
  name: 'taiko',
  prefix: 'taiko',
  gaps: { 'ethContext.timestamp': 'l1', 'rollupContext.queueIndex': 'always' },
  create: (sources) => ({
    estimateGas: (request, scope) => estimatePlainGas(sources, request, scope),
    info: (scope) => readTaikoInfo(sources, scope),
  }),
  recognise: (probe) => probe.hasMethod('taiko_headL1Origin'),
};

async function readTaikoInfo(sources: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const { chain, mode } = sources;
  const [node, head, origin] = await Promise.all([
    readNode(chain, 'finalized', scope),
    readL1Head(sources, scope),
    askObject(chain, 'taiko_headL1Origin', [], scope),
  ]);
  const number = readCount(origin['l1BlockHeight']);
  // Without layer 1 itself the block that the head was made from stands for its latest one.
  const l1 = head ?? (number === undefined ? undefined : { number, timestamp: 0n });
  return composeInfo(mode, node, { l1 });
}
