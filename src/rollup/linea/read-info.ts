import { ChainError } from '../../chain/errors.ts';
import type { BlockReference } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readWord } from '../contract.ts';
import { composeInfo, readL1Head, readNode } from '../info/read-node.ts';
import type { RollupInfo, RollupSources } from '../rollup-family.ts';

/** Selector of `lastAnchoredL1MessageNumber()`. */
const LAST_ANCHORED = '0x9340a1d1';

/** Composes the node information from a Linea node and its layer 1. */
export async function readLineaInfo(sources: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const [node, l1] = await Promise.all([
    readNode(sources.chain, 'finalized', scope),
    readL1Head(sources, scope),
  ]);
  const queueIndex = await readLastAnchored(sources, node.reference, scope);
  return composeInfo(sources.mode, node, { l1, queueIndex });
}

async function readLastAnchored(
  { chain, messageService }: RollupSources,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint | undefined> {
  if (messageService === undefined) return undefined;
  const last = await readWord(chain, { to: messageService, data: LAST_ANCHORED }, block, scope);
  if (last !== undefined) return last;
  throw new ChainError(
    'misconfigured',
    `the message service ${messageService} has no lastAnchoredL1MessageNumber()`,
  );
}
