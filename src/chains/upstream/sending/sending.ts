import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockReference } from '../../../chain/requests.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { steadyTime } from '../../../util/steady-time.ts';
import { OwnWrites } from './own-writes.ts';
import { PrivateHashes } from './private-hashes.ts';
import { ReportedPlaces } from './reported-places.ts';
import type { SendingParts } from './sending-parts.ts';
import { SentKeeper } from './sent-keeper.ts';
import { SentReads } from './sent-reads.ts';
import { SentRecords } from './sent-records.ts';
import { TransactionSender } from './transaction-sender.ts';

/** Methods with which clients send transactions and read their own sent transactions. */
export interface SendingReads {
  send(bytes: Uint8Array, scope: RequestScope): Promise<JsonText>;
  /** Returns a transaction by its hash. If no node knows the transaction, returns it as the caller sent it. */
  getTransaction(hash: string, scope: RequestScope): Promise<JsonText | null>;
  getReceipt(hash: string, scope: RequestScope): ReturnType<SentReads['getReceipt']>;
  findWaiting(sender: string, nonce: bigint, scope: RequestScope): JsonText | null;
  /** Returns whether a transaction is pending at the private relay, so that requests to nodes must not contain its hash. @throws ChainError */
  isHidden(hash: string, scope: RequestScope): PromiseOrValue<boolean>;
  raiseCount(count: JsonText, sender: string, block: BlockReference, scope: RequestScope): Promise<JsonText>;
}

/** Checks, sends and re-sends the transactions of one network, and makes them visible to their senders. */
export class Sending implements SendingReads {
  readonly #sender: TransactionSender;
  readonly #keeper: SentKeeper;
  readonly #own: OwnWrites;
  readonly #reads: SentReads;
  readonly #relay: Upstream | undefined;
  readonly #isDevelopment: boolean;

  constructor(parts: SendingParts) {
    // A development chain that replaces another has the same chain id. Records of the replaced chain would be stale, so there is no table.
    const table = parts.isDevelopment ? undefined : parts.records;
    const records = table && new SentRecords(table, () => parts.chainId.value, steadyTime);
    const places = records && new ReportedPlaces(parts, records);
    const hidden = new PrivateHashes(parts, records);
    this.#own = new OwnWrites(parts.sent, records);
    this.#reads = new SentReads(parts.answers.transactions, this.#own, hidden, places);
    this.#sender = new TransactionSender(parts, hidden, this.#reads, async (entry, scope) => {
      this.#keeper.begin();
      await records?.write(entry, scope);
    });
    this.#keeper = new SentKeeper(parts, hidden, this.#reads, this.#sender);
    this.#relay = parts.relay;
    this.#isDevelopment = parts.isDevelopment;
  }

  send(bytes: Uint8Array, scope: RequestScope): Promise<JsonText> {
    return this.#sender.send(bytes, scope);
  }

  getTransaction(hash: string, scope: RequestScope): Promise<JsonText | null> {
    return this.#reads.getTransaction(hash, scope);
  }

  getReceipt(hash: string, scope: RequestScope): ReturnType<SentReads['getReceipt']> {
    return this.#reads.getReceipt(hash, scope);
  }

  findWaiting(sender: string, nonce: bigint, scope: RequestScope): JsonText | null {
    return this.#own.findWaiting(sender, nonce, scope);
  }

  isHidden(hash: string, scope: RequestScope): PromiseOrValue<boolean> {
    return this.#reads.isHidden(hash, scope);
  }

  async raiseCount(
    count: JsonText,
    sender: string,
    block: BlockReference,
    scope: RequestScope,
  ): Promise<JsonText> {
    // The node of a development network is authoritative, even right after a rollback.
    if (this.#isDevelopment) return count;
    return this.#own.raiseCount(count, sender, block, scope);
  }

  /** Drops all sent transactions. A request may have removed these transactions from the development chain, so only the node's report counts. */
  forget(): void {
    this.#keeper.forget();
  }

  /** Resolves when the running check of pending transactions has ended, for tests. */
  get idle(): Promise<void> {
    return this.#keeper.idle;
  }

  async close(): Promise<void> {
    this.#keeper.close();
    await this.#relay?.close();
  }
}
