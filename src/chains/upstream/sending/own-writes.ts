import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference } from '../../../chain/requests.ts';
import { encodePendingTransactionJson } from '../../../chain/wire-json.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { SentRecords } from './sent-records.ts';
import type { SentTransactions } from './sent-transactions.ts';

/**
 * Makes a sent transaction visible to its sender, whichever node answers. If an API key has sent nothing in this process, shared records are read
 * only for a null answer or the tag `pending`.
 */
export class OwnWrites {
  readonly #sent: SentTransactions;
  readonly #records: SentRecords | undefined;

  constructor(sent: SentTransactions, records: SentRecords | undefined) {
    this.#sent = sent;
    this.#records = records;
  }

  /** Returns the JSON of a transaction that no node knows, as the caller sent it; null if this caller has not sent it. */
  async findSent(hash: string, scope: RequestScope): Promise<JsonText | null> {
    const found = this.#sent.find(scope, hash) ?? (await this.#records?.find(scope, hash));
    return found === undefined ? null : encodePendingTransactionJson(found.transaction, found.sender, hash);
  }

  /** Returns the JSON of the caller's pending transaction with this sender and nonce; null if it was not sent in this process. */
  findWaiting(sender: string, nonce: bigint, scope: RequestScope): JsonText | null {
    const found = this.#sent.findNonce(scope, sender.toLowerCase(), nonce);
    return found === undefined
      ? null
      : encodePendingTransactionJson(found.transaction, found.sender, found.hash);
  }

  /** Raises a node's pending transaction count by the caller's transactions that the node does not have. */
  async raiseCount(
    count: JsonText,
    address: string,
    block: BlockReference,
    scope: RequestScope,
  ): Promise<JsonText> {
    const sender = address.toLowerCase();
    if (block.kind !== 'tag' || block.tag !== 'pending') return count;
    const shared = await this.#records?.listNonces(scope, sender);
    const reported = BigInt(JSON.parse(count) as string);
    let next = reported;
    while (this.#sent.findNonce(scope, sender, next) !== undefined || shared?.has(next) === true) next++;
    return next === reported ? count : `"${encodeQuantity(next)}"`;
  }
}
