import type { CallScope } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import { readWord } from '../contract.ts';
import { composeInfo, readNode } from '../info/read-node.ts';
import type { RollupInfo, RollupSources } from '../rollup-family.ts';

/** The predeploy that knows the block of layer 1 which this one was made from. */
export const L1_BLOCK = '0x4200000000000000000000000000000000000015';
/** `number()` */
export const NUMBER = '0x8381f58a';
/** `timestamp()` */
const TIMESTAMP = '0xb80777ea';

/** What an execution node of the OP Stack knows by itself: of layer 1 the origin of its own head, which lags by minutes. */
export async function readOpStackInfo({ chain, mode }: RollupSources, scope: CallScope): Promise<RollupInfo> {
  const node = await readNode(chain, 'safe', scope);
  const [number, timestamp] = await Promise.all(
    [NUMBER, TIMESTAMP].map((data) => readWord(chain, { to: L1_BLOCK, data }, node.reference, scope)),
  );
  if (number === undefined || timestamp === undefined) {
    throw new ChainError(
      'misconfigured',
      `no L1Block at ${L1_BLOCK}: the chain is not of the family that is configured`,
    );
  }
  return composeInfo(mode, node, { l1: { number, timestamp } });
}
