import type { BlockPlace } from '../../../chain/chain.ts';
import { ChainError } from '../../../chain/errors.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { RequestScope } from '../../../util/request-scope.ts';
import { findAt } from './find-at.ts';
import type { PrivateHashes } from './private-hashes.ts';
import type { SendingParts } from './sending-parts.ts';
import type { SentReads } from './sent-reads.ts';
import type { SentEntry, SentTransactions } from './sent-transactions.ts';
import type { TransactionSender } from './transaction-sender.ts';

/** Number of new blocks between two checks of pending transactions. */
const BLOCKS_BETWEEN = 2n;
/**
 * Maximum number of transactions per check, and of concurrent requests (`CONCURRENCY`). API keys alternate in the choice of transactions. The
 * transaction that was checked least recently is the first of its key.
 */
const MAX_CHECKED = 128;
const CONCURRENCY = 4;
/** Maximum number of times that a transaction is re-sent per API key that has sent it. */
const MAX_REPEATS = 20;
const CHECK_LIMIT_MS = 10_000;

/**
 * Checks sent transactions until they are in a served block or can no longer be included, and re-sends them to nodes that have lost them. A
 * development chain goes back only on request; its sent transactions are then dropped and never re-sent.
 */
export class SentKeeper {
  readonly #parts: SendingParts;
  readonly #sent: SentTransactions;
  readonly #sender: Pick<TransactionSender, 'repeat'>;
  readonly #hidden: Pick<PrivateHashes, 'isHidden'>;
  readonly #reads: Pick<SentReads, 'getReceipt'>;
  readonly #stopped = new RequestScope(Number.POSITIVE_INFINITY);
  #unwatch: (() => void) | undefined;
  #checkedAt: bigint | undefined;
  /** Head at the last notification of the chain. */
  #head: BlockPlace | undefined;
  #running: Promise<void> | undefined;

  constructor(
    parts: SendingParts,
    hidden: Pick<PrivateHashes, 'isHidden'>,
    reads: Pick<SentReads, 'getReceipt'>,
    sender: Pick<TransactionSender, 'repeat'>,
  ) {
    this.#parts = parts;
    this.#sent = parts.sent;
    this.#hidden = hidden;
    this.#reads = reads;
    this.#sender = sender;
  }

  /** Starts the checks; must be called when a transaction was sent. */
  begin(): void {
    if (this.#unwatch !== undefined || this.#stopped.aborted) return;
    const { heads } = this.#parts;
    this.#checkedAt = heads.served?.number;
    this.#head = heads.served;
    this.#unwatch = heads.watch(() => this.#onHead());
  }

  /** Drops all transactions that were sent before. */
  forget(): void {
    this.#sent.clear();
  }

  close(): void {
    this.#stopped.abort();
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** Resolves when the running check has ended. */
  get idle(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  #onHead(): void {
    const { served } = this.#parts.heads;
    const isUndone = this.#parts.isDevelopment && !isAbove(served, this.#head);
    this.#head = served;
    if (isUndone) this.#sent.clear();
    if (this.#sent.size === 0) {
      this.#unwatch?.();
      this.#unwatch = undefined;
      return;
    }
    if (served === undefined || this.#running !== undefined) return;
    const since = served.number - (this.#checkedAt ?? 0n);
    // A lower head is a reorg, which may have removed transactions, so the check runs at once.
    if (since >= 0n && since < BLOCKS_BETWEEN) return;
    this.#checkedAt = served.number;
    this.#running = this.#checkAll().finally(() => {
      this.#running = undefined;
    });
  }

  async #checkAll(): Promise<void> {
    const entries = this.#choose();
    const work = async (): Promise<void> => {
      for (let entry = entries.shift(); entry !== undefined; entry = entries.shift()) {
        if (this.#stopped.aborted) return;
        await this.#check(entry);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }

  /**
   * Chooses the transactions to check, each once. If several API keys have sent the same transaction, their entries are chosen alternately, because
   * the key of the chosen entry is charged for the requests.
   */
  #choose(): SentEntry[] {
    const chosen = new Map<string, SentEntry>();
    for (const entry of this.#sent.takeSlots()) {
      const same = chosen.get(entry.hash);
      if (same === undefined || entry.checks < same.checks) chosen.set(entry.hash, entry);
      if (chosen.size === MAX_CHECKED) break;
    }
    for (const entry of chosen.values()) entry.checks++;
    return [...chosen.values()];
  }

  async #check(entry: SentEntry): Promise<void> {
    const scope = new RequestScope(performance.now() + CHECK_LIMIT_MS, this.#stopped);
    scope.owner = entry.owner;
    try {
      if (this.#sent.isOver(entry)) this.#sent.delete(entry);
      else if (await this.#isOut(entry, scope))
        for (const same of this.#sent.listSame(entry.hash)) this.#sent.delete(same);
      else if (!entry.isPrivate && !this.#parts.isDevelopment) await this.#restore(entry, scope);
    } catch (error) {
      // If a request failed, the next check of pending transactions repeats it.
      if (!(error instanceof ChainError || error instanceof UpstreamFault)) throw error;
    } finally {
      scope.release();
    }
  }

  /** Returns whether the transaction, or another transaction with its nonce, is in a served block. */
  async #isOut({ hash, sender, transaction }: SentEntry, scope: RequestScope): Promise<boolean> {
    if (await this.#hidden.isHidden(hash, scope)) return false;
    const { state } = this.#parts.answers;
    if ((await this.#reads.getReceipt(hash, scope)) !== null) return true;
    const count = await state.getTransactionCount(sender, { kind: 'tag', tag: 'latest' }, scope);
    return BigInt(JSON.parse(count) as string) > transaction.nonce;
  }

  /**
   * Re-sends a transaction to the nodes that had accepted it but no longer have it. If no node is known to have it, re-sends it to all healthy nodes.
   */
  async #restore(entry: SentEntry, scope: RequestScope): Promise<void> {
    const { sendToNode } = this.#parts;
    const takers = [...entry.takers].filter(({ isOutOfUse }) => !isOutOfUse);
    const isKept = await Promise.all(
      takers.map((upstream) => findAt(upstream, entry.hash, sendToNode, scope)),
    );
    const lost = takers.filter((_, i) => isKept[i] === false);
    for (const upstream of lost) entry.takers.delete(upstream);
    const isNowhere = takers.length === 0;
    if (lost.length === 0 && !isNowhere) return;
    const repeated = this.#sent.listSame(entry.hash).find(({ repeats }) => repeats < MAX_REPEATS);
    if (repeated === undefined) return;
    repeated.repeats++;
    const healthy = this.#parts.upstreams.filter(({ isUp, isOutOfUse }) => isUp && !isOutOfUse);
    const affordable = healthy.filter(({ spend }) => spend?.isUsedUp !== true);
    const nodes = isNowhere ? (affordable.length > 0 ? affordable : healthy) : lost;
    for (const upstream of await this.#sender.repeat(entry, nodes, scope)) entry.takers.add(upstream);
  }
}

/** Returns whether a head is the previous head or has a higher number. */
function isAbove(head: BlockPlace | undefined, before: BlockPlace | undefined): boolean {
  if (head === undefined) return false;
  return before === undefined || head.number > before.number || head.hash === before.hash;
}
