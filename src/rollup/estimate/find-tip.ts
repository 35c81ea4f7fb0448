/**
 * Finds the priority fee (tip) of a chain, wei per gas. The first round of requests reads the chain's suggestion. Without a suggestion, the second
 * round derives the tip.
 */

import { maxBigInt } from '../../../packages/ethereum/primitives/bigint.ts';
import type { Chain } from '../../chain/chain.ts';
import type { FeeHistoryRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { parseAnswer, readCount, readMembers } from '../answers.ts';
import { requestGasPrice, requestPriorityFee } from '../request.ts';

/** Request for the tips of recent blocks: the number of blocks, and one percentile of the tips in each block. */
const HISTORY: FeeHistoryRequest = {
  blockCount: 4,
  newest: { kind: 'tag', tag: 'latest' },
  percentiles: [50],
};

/** Returns the chain's own suggestion; undefined if the chain does not have the method. */
export function findSuggestedTip(chain: Chain, scope: RequestScope): Promise<bigint | undefined> {
  return requestPriorityFee(chain, scope);
}

/**
 * Derives the tip for a chain that suggests none. The tip is the median tip of the last block. If the median tip is unknown, the tip is the gas price
 * minus the base fee, but at least 0.
 */
export async function deriveTip(chain: Chain, baseFeePerGas: bigint, scope: RequestScope): Promise<bigint> {
  const [history, price = baseFeePerGas] = await Promise.all([
    chain.fees.getFeeHistory(HISTORY, scope),
    requestGasPrice(chain, scope),
  ]);
  const answer = history === null ? undefined : parseAnswer(history, 'eth_feeHistory');
  const { reward } = readMembers({ answer }, 'answer');
  return findLastReward(reward) ?? maxBigInt(price - baseFeePerGas, 0n);
}

function findLastReward(reward: unknown): bigint | undefined {
  const last: unknown = Array.isArray(reward) ? reward.at(-1) : undefined;
  return Array.isArray(last) ? readCount(last[0]) : undefined;
}
