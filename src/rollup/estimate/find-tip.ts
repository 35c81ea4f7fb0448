/** What a chain wants beyond its base fee, wei per gas: asked for in the first round, derived in the second. */
import type { Chain } from '../../chain/chain.ts';
import type { FeeHistoryRequest } from '../../chain/requests.ts';
import { maxBigInt } from '../../primitives/bigint.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readCount, readMembers, readValue } from '../answers.ts';
import { askGasPrice, askPriorityFee } from '../ask.ts';

/** Blocks that are looked at for fees, and the percentile of their tips. */
const HISTORY: FeeHistoryRequest = {
  blockCount: 4,
  newest: { kind: 'tag', tag: 'latest' },
  percentiles: [50],
};

/** The chain's own suggestion; undefined when it has no such method. */
export function suggestTip(chain: Chain, scope: RequestScope): Promise<bigint | undefined> {
  return askPriorityFee(chain, scope);
}

/** For chains without a suggestion: the last block's median tip, else what the gas price leaves, else nothing. */
export async function deriveTip(chain: Chain, baseFeePerGas: bigint, scope: RequestScope): Promise<bigint> {
  const [history, price = baseFeePerGas] = await Promise.all([
    chain.fees.getFeeHistory(HISTORY, scope),
    askGasPrice(chain, scope),
  ]);
  const answer = history === null ? undefined : readValue(history, 'eth_feeHistory');
  const { reward } = readMembers({ answer }, 'answer');
  return findLastReward(reward) ?? maxBigInt(price - baseFeePerGas, 0n);
}

function findLastReward(reward: unknown): bigint | undefined {
  const last: unknown = Array.isArray(reward) ? reward.at(-1) : undefined;
  return Array.isArray(last) ? readCount(last[0]) : undefined;
}
