import type { BlockPlace } from '../../../chain/chain.ts';
import { ChainError } from '../../../chain/errors.ts';
import { Lru } from '../../../util/lru.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { ReportedPlace } from '../checks/check-parts.ts';
import type { SendingParts } from './sending-parts.ts';
import type { SentRecords } from './sent-records.ts';
import { viewerOf } from './sent-transactions.ts';

/** Time that an answer waits for a block another process has served; geth's clients poll every 100 ms to 4 s. */
const WAIT_LIMIT_MS = 2_000;
/** Pause between two refreshes of the heads, where no head changes meanwhile, ms. */
const REFRESH_MS = 200;
/** Retry delay after an answer without a block, where the shown block is served, ms. */
const REPEAT_MS = 100;
/** Depth below the served head within which a place is noted, blocks: processes are not further apart. */
const NOTED_DEPTH = 128n;
/** Caps on noted places, and on keys and sessions: about 250 bytes each. */
const MAX_NOTED = 16_384;
const MAX_VIEWERS = 4_096;

type ChainParts = Pick<SendingParts, 'chain' | 'directory' | 'refreshHeads'>;

/** Request about a transaction by its hash. */
export type PlacedRequest<T> = {
  readonly hash: string;
  readonly ask: () => Promise<T>;
  /** Returns the place in a served block where the last answer found the transaction. */
  readonly findPlace: () => ReportedPlace | undefined;
};

/**
 * Blocks in which answers have shown sent transactions, where processes share records: once one process has shown a transaction in a block, the others do not
 * show it without a block while that block is on the chain. A key that has sent nothing recently is looked up once per block, by its first answer from a
 * recent block, and for answers without a block.
 */
export class ReportedPlaces {
  readonly #parts: ChainParts;
  readonly #records: SentRecords;
  /** Hash of the latest noted block, by viewer and transaction. */
  readonly #noted = new Lru<string, string>(MAX_NOTED, Number.POSITIVE_INFINITY);
  /** Hash of the served head at which a viewer had sent nothing: its later transactions are in no block up to that head. */
  readonly #silent = new Lru<string, string>(MAX_VIEWERS, Number.POSITIVE_INFINITY);
  #refreshing: Promise<void> | undefined;

  constructor(parts: ChainParts, records: SentRecords) {
    this.#parts = parts;
    this.#records = records;
  }

  /**
   * Sends the request; an answer without a block waits for the block shown before, and is then requested anew.
   * @throws ChainError `unavailable` where that block is not served in time
   */
  async ask<T>({ hash, ask, findPlace }: PlacedRequest<T>, scope: RequestScope): Promise<T> {
    const until = Math.min(performance.now() + WAIT_LIMIT_MS, scope.deadline);
    const { heads } = this.#parts.chain();
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
        // Another process may serve the block already: a client that saw the transaction there does not expect a null here.
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
      // Where the head has changed since, the request is repeated at once.
      await this.#pause(heads.served?.hash === before ? REPEAT_MS : 0, until, provided, scope);
    }
  }

  async #note(hash: string, { number, blockHash }: ReportedPlace, scope: RequestScope): Promise<void> {
    const { served } = this.#parts.chain().heads;
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

  /** Removes the record of a block that was served here and has left the chain: processes that never had it need not wait for it. */
  async #forget(hash: string, provided: BlockPlace, scope: RequestScope): Promise<void> {
    if (!this.#parts.directory.hasDeparted(provided.hash)) return;
    this.#noted.delete(`${viewerOf(scope)} ${hash}`);
    await this.#records.forgetBlock(scope, hash, provided.hash);
  }

  /**
   * Resolves true once the block is served, false where it has left the chain.
   * @throws ChainError `unavailable` when the time is up
   */
  async #isReached(provided: BlockPlace, until: number, scope: RequestScope): Promise<boolean> {
    const { directory } = this.#parts;
    const { heads } = this.#parts.chain();
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

  /** Waits until the head changes, `ms` are over, or the caller has gone. @throws ChainError `unavailable` when the time is up */
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
      const unwatch = this.#parts.chain().heads.watch(wake);
      scope.signal.addEventListener('abort', wake);
    });
  }
}
