import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { FeedStep } from '../../feed/feed.ts';
import type { Subscription } from '../../rpc/notifier.ts';
import { Backoff } from '../../util/backoff.ts';
import { type Clock, systemClock } from '../../util/clock.ts';
import { RequestScope } from '../../util/request-scope.ts';
import { BlockTransactions } from '../block-transactions.ts';
import { readWholeText } from '../read-whole-text.ts';
import { BlockReceipts } from './block-receipts.ts';
import { HAS_GAP } from './subscribe-to-feed.ts';

/** Maximum number of blocks whose receipts are still to be sent. The limit equals the window of the feed, in blocks. */
const MAX_BLOCKS = 256;
/** Backoff between attempts to read receipts, ms. */
const PAUSE = { firstMs: 50, maxMs: 2_000 };
/** Timeout for all receipt requests of one block together, ms. */
const TIMEOUT_MS = 10_000;
const NO_RECEIPTS: JsonText = '[]';

/** Block whose receipts are not sent yet. */
type Due = { readonly hash: string; readonly noticedAt: number | undefined };

/** Chain from which receipts are read, and the transactions whose receipts are sent. */
export type ReceiptParts = {
  readonly chain: Pick<Chain, 'blocks' | 'transactions'>;
  /** Lower-case transaction hashes; empty means the receipts of every transaction. */
  readonly hashes: readonly string[];
  /** Owner (key) that is charged for requests to nodes. */
  readonly owner: string | undefined;
  readonly clock?: Clock;
};

/**
 * Sends the receipts of each new block in block order, as one list per block. If the receipts cannot be read, the request is repeated until they can
 * be read or the block leaves the chain. Receipts of later blocks wait for the receipts of earlier blocks.
 */
export class ReceiptNotifications {
  readonly #subscription: Subscription;
  readonly #chain: ReceiptParts['chain'];
  readonly #hashes: ReadonlySet<string>;
  readonly #owner: string | undefined;
  readonly #clock: Clock;
  /** Blocks whose receipts are to be sent, oldest first. */
  readonly #due: Due[] = [];
  #isSending = false;
  #isClosed = false;
  /** Function that ends the current backoff pause. Undefined while no pause is running. */
  #goOn: (() => void) | undefined;

  constructor(subscription: Subscription, { chain, hashes, owner, clock = systemClock }: ReceiptParts) {
    this.#subscription = subscription;
    this.#chain = chain;
    this.#hashes = new Set(hashes);
    this.#owner = owner;
    this.#clock = clock;
  }

  /**
   * Takes the next step of the feed.
   * @param noticedAt time at which the block was noticed as the head, ms on the clock of `performance.now()`; undefined where it is unknown
   */
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

  /** Drops a block that has left the chain. The receipts of this block are not sent. */
  #remove(hash: string): void {
    const at = this.#due.findIndex((due) => due.hash === hash);
    if (at >= 0) this.#due.splice(at, 1);
    this.#goOn?.();
  }

  /** Sends the receipts of all queued blocks. Never rejects. */
  async #send(): Promise<void> {
    this.#isSending = true;
    const backoff = new Backoff(PAUSE);
    for (let [due] = this.#due; due !== undefined; [due] = this.#due) {
      const receipts = await this.#read(due.hash).catch(() => undefined);
      // The block may have left the chain while its receipts were read.
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

  /**
   * Returns the list of matching receipts of a block, `[]` where none matches.
   * @throws ChainError where the receipts cannot be read now
   */
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

  /**
   * Returns the receipt of a transaction in this block.
   * @throws ChainError where the receipt is not found in this block
   */
  async #readOne(hash: string, block: string, scope: RequestScope): Promise<JsonText> {
    const found = await this.#chain.transactions.getReceipt(hash, scope);
    const text = found === null ? '' : await readWholeText(found);
    if (new RegExp(`"blockHash"\\s*:\\s*"${block}"`, 'i').test(text)) return text;
    throw new ChainError('unavailable', 'the receipt belongs to another block');
  }
}
