import type { BlockPlace } from '../../../chain/chain.ts';
import { ChainError } from '../../../chain/errors.ts';
import { Lru } from '../../../util/lru.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { ReportedPlace } from '../checks/check-parts.ts';
import type { SendingParts } from './sending-parts.ts';
import type { SentRecords } from './sent-records.ts';
import { viewerOf } from './sent-transactions.ts';

/** Maximum time for which an answer waits for a block that another process has served, ms. geth's clients poll every 100 ms to 4 s. */
const WAIT_LIMIT_MS = 2_000;
/** Pause between two refreshes of the heads while no head changes, ms. */
const REFRESH_MS = 200;
/** Retry delay after a node's answer without a block, although the recorded block of the transaction is served, ms. */
const REPEAT_MS = 100;
/** Maximum number of blocks below the served head at which a transaction's block is recorded; the heads of the processes differ by less. */
const NOTED_DEPTH = 128n;
/** Maximum number of recorded blocks, and of API keys and sessions, about 250 bytes each. */
const MAX_NOTED = 16_384;
const MAX_VIEWERS = 4_096;

type ChainParts = Pick<SendingParts, 'heads' | 'directory' | 'refreshHeads'>;

/** Request about a transaction by its hash. */
type PlacedRequest<T> = {
  readonly hash: string;
  readonly ask: () => Promise<T>;
  /** Returns block and index at which the last answer has confirmed the transaction; undefined if it is in no served block. */
  readonly findPlace: () => ReportedPlace | undefined;
};

/**
 * Records the blocks that answers have reported for sent transactions, in a table that several processes share. After one process has reported a
 * transaction in a block, no other process reports it as pending or unknown while the block is canonical. For an API key that has sent nothing
 * recently, records are read for every answer without a block. For answers with a recent block, they are read once per served head.
 */
export class ReportedPlaces {
  readonly #parts: ChainParts;
  readonly #records: SentRecords;
  /** Hash of the last recorded block of a transaction, by viewer (`viewerOf`) and transaction. */
  readonly #noted = new Lru<string, string>(MAX_NOTED, Number.POSITIVE_INFINITY);
  /**
   * Hash of a served head, by viewer (`viewerOf`), at which the viewer had sent no transaction. A transaction that the viewer sends later cannot be
   * in this head or in an earlier block.
   */
  readonly #silent = new Lru<string, string>(MAX_VIEWERS, Number.POSITIVE_INFINITY);
  #refreshing: Promise<void> | undefined;

  constructor(parts: ChainParts, records: SentRecords) {
    this.#parts = parts;
    this.#records = records;
  }

  /**
   * Sends a request. If the answer has no block, but an earlier answer had one, waits until the earlier block is served and repeats the request.
   * @throws ChainError `unavailable` if the block is not served in time
   */
  async ask<T>({ hash, ask, findPlace }: PlacedRequest<T>, scope: RequestScope): Promise<T> {
    const until = Math.min(performance.now() + WAIT_LIMIT_MS, scope.deadline);
    const { heads } = this.#parts;
    let hasRefreshed = false;
    for (;;) {
      const before = heads.served?.hash;
      const answer = await ask();
      const place = answer === null ? undefined : findPlace();
      if (place !== undefined) {
        await this.#note(hash, place, scope);
        return answer;
      }
      const provided = await this.#records.findBlock(scope, hash);
      if (provided === undefined) return answer;
      if (provided === null) {
        // Another process may already serve a block with the transaction. A client that has seen the transaction in a block expects no null here.
        if (answer !== null || hasRefreshed) return answer;
        hasRefreshed = true;
        await this.#refresh();
        if (heads.served?.hash === before) return answer;
        continue;
      }
      if (!(await this.#isReached(provided, until, scope))) {
        await this.#forget(hash, provided, scope);
        return answer;
      }
      // If the head has changed since the request was sent, the request is repeated without a delay.
      await this.#pause(heads.served?.hash === before ? REPEAT_MS : 0, until, provided, scope);
    }
  }

  async #note(hash: string, { number, blockHash }: ReportedPlace, scope: RequestScope): Promise<void> {
    const { served } = this.#parts.heads;
    if (served === undefined || served.number - number > NOTED_DEPTH) return;
    const viewer = viewerOf(scope);
    const noted = `${viewer} ${hash}`;
    if (this.#silent.get(viewer) === served.hash || this.#noted.get(noted) === blockHash) return;
    if (!(await this.#records.hasSent(scope))) {
      this.#silent.set(viewer, served.hash);
      return;
    }
    await this.#records.noteBlock(scope, hash, { number, hash: blockHash });
    this.#noted.set(noted, blockHash);
  }

  /** Removes the record of a block that a reorg has removed after this process has served it. Other processes then do not wait for this block. */
  async #forget(hash: string, provided: BlockPlace, scope: RequestScope): Promise<void> {
    if (!this.#parts.directory.hasDeparted(provided.hash)) return;
    this.#noted.delete(`${viewerOf(scope)} ${hash}`);
    await this.#records.forgetBlock(scope, hash, provided.hash);
  }

  /**
   * Waits for a block. Resolves to true when the block is served, and to false if a reorg has removed it.
   * @throws ChainError `unavailable` when the time is up
   */
  async #isReached(provided: BlockPlace, until: number, scope: RequestScope): Promise<boolean> {
    const { directory, heads } = this.#parts;
    for (let hasRefreshed = false; ; hasRefreshed = true) {
      const { served } = heads;
      const isAbove = served === undefined || served.number < provided.number;
      const canonical = isAbove ? undefined : directory.hashOf(provided.number);
      if (!isAbove && (canonical === undefined || canonical === provided.hash)) return true;
      if (directory.hasDeparted(provided.hash)) return false;
      if (hasRefreshed && !isAbove) return false;
      await this.#refresh();
      if (heads.served?.hash === served?.hash && isAbove)
        await this.#pause(REFRESH_MS, until, provided, scope);
    }
  }

  /** Coalesces concurrent refreshes of the heads. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#parts.refreshHeads().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Waits until the head changes, `ms` have passed, or the caller disconnects. @throws ChainError `unavailable` when the time is up */
  async #pause(ms: number, until: number, { number }: BlockPlace, scope: RequestScope): Promise<void> {
    const left = until - performance.now();
    if (left <= 0 || scope.aborted) {
      const shown = `an earlier answer had the transaction in block ${number}`;
      throw new ChainError('unavailable', `${shown}, which the nodes do not confirm yet`);
    }
    if (ms === 0) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        unwatch();
        scope.signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(ms, left));
      const unwatch = this.#parts.heads.watch(wake);
      scope.signal.addEventListener('abort', wake);
    });
  }
}
