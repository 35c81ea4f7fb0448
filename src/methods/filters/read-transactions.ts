import type { Chain } from '../../chain/chain.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import type { RequestScope } from '../../util/request-scope.ts';

/** Transactions that are asked for at the same time. */
const CONCURRENCY = 8;

/** Transaction objects by hash, in order; those that are not known any more are left out. */
export async function readTransactions(
  hashes: readonly string[],
  { transactions }: Pick<Chain, 'transactions'>,
  scope: RequestScope,
): Promise<readonly JsonText[]> {
  const found: JsonText[] = [];
  for (let at = 0; at < hashes.length; at += CONCURRENCY) {
    const window = hashes.slice(at, at + CONCURRENCY);
    for (const one of await Promise.all(window.map((hash) => transactions.getTransaction({ hash }, scope)))) {
      if (one !== null) found.push(one);
    }
  }
  return found;
}
