import type { Chain } from '../../chain/chain.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { PendingLookups } from '../pending-lookups.ts';

/** Returns transaction objects by hash, in order. Transactions that are no longer known are left out. @throws ChainError */
export async function readTransactions(
  hashes: readonly string[],
  chain: Pick<Chain, 'transactions'>,
  scope: RequestScope,
): Promise<readonly JsonText[]> {
  const lookups = PendingLookups.of(chain);
  const found = await Promise.all(hashes.map((hash) => lookups.find(hash, scope)));
  return found.filter((one) => one !== null);
}
