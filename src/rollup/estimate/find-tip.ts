/** What a chain wants beyond its base fee, wei per gas: asked for in the first round, derived in the second. */
import type { Chain } from '../../chain/chain.ts';
import { maxBigInt } from '../../primitives/bigint.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readCount } from '../answers.ts';
import { askCount, askObject } from '../ask.ts';

/** Blocks whose fees are looked at, and the percentile of their tips. */
const HISTORY = ['0x4', 'latest', [50]] as const;

/** The chain's own suggestion; undefined when it has no such method. */
export function suggestTip(chain: Chain, scope: RequestScope): Promise<bigint | undefined> {
  return askCount(chain, 'eth_maxPriorityFeePerGas', [], scope);
}

/** For chains without a suggestion: the last block's median tip, else what the gas price leaves, else nothing. */
export async function deriveTip(chain: Chain, baseFeePerGas: bigint, scope: RequestScope): Promise<bigint> {
  const [{ reward }, price = baseFeePerGas] = await Promise.all([
    askObject(chain, 'eth_feeHistory', HISTORY, scope),
    askCount(chain, 'eth_gasPrice', [], scope),
  ]);
  return findLastReward(reward) ?? maxBigInt(price - baseFeePerGas, 0n);
}

function findLastReward(reward: unknown): bigint | undefined {
  const last: unknown = Array.isArray(reward) ? reward.at(-1) : undefined;
  return Array.isArray(last) ? readCount(last[0]) : undefined;
}
