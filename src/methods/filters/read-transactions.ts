import type { Chain } from '../../chain/chain.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { PendingLookups } from '../pending-lookups.ts';

/** Transaction objects by hash, in order; those that are not known any more are left out. */
export async function readTransactions(
  hashes: readonly string[],
  chain: Pick<Chain, 'transactions'>,
  scope: RequestScope,
): Promise<readonly JsonText[]> {
  const lookups = PendingLookups.of(chain);
  const found = await Promise.all(hashes.map((hash) => lookups.find(hash, scope)));
  return found.filter((one) => one !== null);
}
