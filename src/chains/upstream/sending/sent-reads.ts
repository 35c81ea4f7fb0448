import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { TransactionAnswers } from '../node-answers.ts';
import type { OwnWrites } from './own-writes.ts';
import type { PrivateHashes } from './private-hashes.ts';
import type { ReportedPlaces } from './reported-places.ts';
import type { SendingParts } from './sending-parts.ts';

/**
 * Reads of transactions by hash. The results contain transactions that the caller has sent, and respect the blocks that other processes have
 * reported.
 */
export class SentReads {
  readonly #answers: SendingParts['answers']['transactions'];
  readonly #own: OwnWrites;
  readonly #hidden: PrivateHashes;
  readonly #places: ReportedPlaces | undefined;

  /** @param places absent if processes share no records */
  constructor(
    answers: SendingParts['answers']['transactions'],
    own: OwnWrites,
    hidden: PrivateHashes,
    places: ReportedPlaces | undefined,
  ) {
    this.#answers = answers;
    this.#own = own;
    this.#hidden = hidden;
    this.#places = places;
  }

  /** Returns whether a transaction is pending only at the private relay, so that requests to nodes must not name its hash. @throws ChainError */
  isHidden(hash: string, scope: RequestScope): PromiseOrValue<boolean> {
    return this.#hidden.hasRelay && this.#hidden.isHidden(hash, scope);
  }

  /** Returns a transaction; as the caller sent it if no node knows it. */
  async getTransaction(hash: string, scope: RequestScope): Promise<JsonText | null> {
    const told = await this.#request(hash, () => this.#answers.getTransaction({ hash }, scope), scope);
    return told ?? this.#own.findSent(hash, scope);
  }

  getReceipt(hash: string, scope: RequestScope): ReturnType<TransactionAnswers['getReceipt']> {
    return this.#request(hash, () => this.#answers.getReceipt(hash, scope), scope);
  }

  async #request<T>(hash: string, ask: () => Promise<T | null>, scope: RequestScope): Promise<T | null> {
    if (await this.isHidden(hash, scope)) return null;
    if (this.#places === undefined) return ask();
    return this.#places.ask({ hash, ask, findPlace: () => this.#answers.findPlace(hash) }, scope);
  }
}
