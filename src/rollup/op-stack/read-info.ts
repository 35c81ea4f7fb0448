import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { type AnswerMembers, readCount, readMembers } from '../answers.ts';
import { readWord } from '../contract.ts';
import { composeInfo, type L1State, type RollupNodeState, readNode } from '../info/read-node.ts';
import { requestObject, requestValue } from '../request.ts';
import type { RollupInfo, RollupSources } from '../rollup-family.ts';

/** Predeploy that stores the layer 1 block from which the current block is derived. */
export const L1_BLOCK = '0x4200000000000000000000000000000000000015';
/** `number()` */
export const NUMBER = '0x8381f58a';
/** `timestamp()` */
const TIMESTAMP = '0xb80777ea';
/**
 * Number of layer 1 blocks (ten minutes) by which an op-node may lag before it counts as syncing. Some op-nodes always lag by four or fifteen blocks.
 */
const SYNC_DISTANCE = 50n;

/** Reads the progress that the op-node reports; without an op-node, the progress that an execution node reports. */
export async function readOpStackInfo(sources: RollupSources, scope: RequestScope): Promise<RollupInfo> {
  const { chain, opNode, mode } = sources;
  const node = await readNode(chain, 'safe', scope);
  if (opNode === undefined) return composeInfo(mode, node, { l1: await readOrigin(chain, node, scope) });
  const [status, isSequencing] = await Promise.all([
    requestObject(opNode, 'optimism_syncStatus', [], scope),
    requestSequencing(opNode, scope),
  ]);
  const head = readMembers(status, 'head_l1');
  const unsafe = readNumber(status, 'unsafe_l2');
  const current = readCount(readMembers(status, 'current_l1')['number']) ?? 0n;
  const l1 = { number: readNumber(status, 'head_l1'), timestamp: readCount(head['timestamp']) ?? 0n };
  return composeInfo(
    isSequencing ? 'sequencer' : mode,
    {
      ...node,
      latest: { ...node.latest, number: unsafe },
      verified: readNumber(status, 'safe_l2'),
      isSyncing: node.isSyncing || l1.number - current > SYNC_DISTANCE,
    },
    { l1 },
  );
}

/** Returns whether the node is sequencing. Most nodes restrict `admin_sequencerActive`, so an error counts as not sequencing. */
async function requestSequencing(opNode: Pick<Chain, 'request'>, scope: RequestScope): Promise<boolean> {
  try {
    return (await requestValue(opNode, 'admin_sequencerActive', [], scope)) === true;
  } catch (error) {
    if (error instanceof ChainError && error.kind !== 'aborted') return false;
    throw error;
  }
}

/** @throws ChainError `misconfigured` if the node does not report this block */
function readNumber(status: AnswerMembers, name: string): bigint {
  const number = readCount(readMembers(status, name)['number']);
  if (number !== undefined) return number;
  throw new ChainError('misconfigured', `optimism_syncStatus has no ${name}: opNode is not an op-node`);
}

/** Returns the layer 1 block from which the head is derived. This block is minutes older than layer 1's head. */
async function readOrigin(
  chain: Chain,
  { reference }: RollupNodeState,
  scope: RequestScope,
): Promise<L1State['l1']> {
  const [number, timestamp] = await Promise.all(
    [NUMBER, TIMESTAMP].map((data) => readWord(chain, { to: L1_BLOCK, data }, reference, scope)),
  );
  if (number !== undefined && timestamp !== undefined) return { number, timestamp };
  throw new ChainError(
    'misconfigured',
    `there is no L1Block at ${L1_BLOCK}: the chain is not of the configured family`,
  );
}
