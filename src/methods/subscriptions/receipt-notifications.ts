import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { FeedStep } from '../../feed/feed.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import type { Subscription } from '../../rpc/notifier.ts';
import { Backoff } from '../../util/backoff.ts';
import { type Clock, systemClock } from '../../util/clock.ts';
import { RequestScope } from '../../util/request-scope.ts';
import { BlockTransactions } from '../block-transactions.ts';
import { readWholeText } from '../read-whole-text.ts';
import { BlockReceipts } from './block-receipts.ts';
import { HAS_GAP } from './join-feed.ts';

/** Blocks whose receipts are still to be sent: as many as the feed keeps. */
const MAX_BLOCKS = 256;
/** Between two attempts at receipts that cannot be read, milliseconds. */
const PAUSE = { firstMs: 50, maxMs: 2_000 };
/** From the question for a receipt to its answer, milliseconds. */
const TIMEOUT_MS = 10_000;
const NO_RECEIPTS: JsonText = '[]';

/** A block of the chain whose receipts are still to be sent. */
type Due = { readonly hash: string; readonly noticedAt: number | undefined };

/** What receipts are read from, and which. */
export type ReceiptParts = {
  readonly chain: Pick<Chain, 'blocks' | 'transactions'>;
  /** Lower case; none means the receipts of every transaction. */
  readonly hashes: readonly string[];
  /** Who pays for what nodes are asked. */
  readonly owner: string | undefined;
  readonly clock?: Clock;
};

/**
 * Sends the receipts of each new block, one list a block, in the order of the blocks. A block whose receipts cannot be read is asked for again
 * until it can be read or leaves the chain; those behind it wait.
 */
export class ReceiptNotifications {
  readonly #subscription: Subscription;
  readonly #chain: ReceiptParts['chain'];
  readonly #hashes: ReadonlySet<string>;
  readonly #owner: string | undefined;
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #due: Due[] = [];
  #isSending = false;
  #isClosed = false;
  /** Ends the pause between two attempts. */
  #goOn: (() => void) | undefined;

  constructor(subscription: Subscription, { chain, hashes, owner, clock = systemClock }: ReceiptParts) {
    this.#subscription = subscription;
    this.#chain = chain;
    this.#hashes = new Set(hashes);
    this.#owner = owner;
    this.#clock = clock;
  }

  /** @param noticedAt as `Subscription.notify` takes it */
  take({ kind, block: { hash } }: FeedStep, noticedAt?: number): void {
    if (kind === 'removed') {
      this.#remove(hash);
      return;
    }
    if (this.#due.length >= MAX_BLOCKS) {
      this.close();
      this.#subscription.fail(HAS_GAP);
    }
    if (this.#isClosed) return;
    this.#due.push({ hash, noticedAt });
    if (!this.#isSending) void this.#send();
  }

  close(): void {
    this.#isClosed = true;
    this.#due.length = 0;
    this.#goOn?.();
  }

  /** The receipts of a block that has left the chain are not sent any more. */
  #remove(hash: string): void {
    const at = this.#due.findIndex((due) => due.hash === hash);
    if (at >= 0) this.#due.splice(at, 1);
    this.#goOn?.();
  }

  /** Sends what is due. Never rejects. */
  async #send(): Promise<void> {
    this.#isSending = true;
    const backoff = new Backoff(PAUSE);
    for (let [due] = this.#due; due !== undefined; [due] = this.#due) {
      const receipts = await this.#read(due.hash).catch(() => undefined);
      // It may have left the chain meanwhile.
      if (this.#due[0] !== due) continue;
      if (receipts === undefined) await this.#pause(backoff.next());
      else {
        this.#due.shift();
        backoff.reset();
        if (receipts !== NO_RECEIPTS) this.#subscription.notify([receipts], due.noticedAt);
      }
    }
    this.#isSending = false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.schedule(() => this.#goOn?.(), ms);
      this.#goOn = () => {
        this.#goOn = undefined;
        cancel();
        resolve();
      };
    });
  }

  /** The list of a block; `[]` where nothing of it is to be sent. @throws ChainError where it cannot be read now */
  async #read(block: string): Promise<JsonText> {
    if (this.#hashes.size === 0) return BlockReceipts.of(this.#chain).read(block);
    const listed = await BlockTransactions.of(this.#chain).read(block);
    if (listed === null) throw new ChainError('unavailable', 'no node has the block');
    const wanted = [...listed].filter((hash) => this.#hashes.has(hash));
    const scope = new RequestScope(performance.now() + TIMEOUT_MS);
    scope.owner = this.#owner;
    try {
      const receipts: JsonText[] = [];
      for (const hash of wanted) receipts.push(await this.#readOne(hash, block, scope));
      return `[${receipts.join(',')}]`;
    } finally {
      scope.release();
    }
  }

  /** @throws ChainError where it is not found in this block */
  async #readOne(hash: string, block: string, scope: RequestScope): Promise<JsonText> {
    const found = await this.#chain.transactions.getReceipt(hash, scope);
    const text = found === null ? '' : await readWholeText(found);
    if (new RegExp(`"blockHash"\\s*:\\s*"${block}"`, 'i').test(text)) return text;
    throw new ChainError('unavailable', 'the receipt is of another block');
  }
}
