import { setTimeout as sleep } from 'node:timers/promises';
import { ChainError } from '../../chain/errors.ts';
import { RecordTableError } from '../../shared-store/records/record-table.ts';
import { Backoff } from '../../util/backoff.ts';
import { Lru } from '../../util/lru.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { FilterRecord } from './filter-record.ts';
import type { LocatedFilter, StoredFilter, StoredFilters } from './stored-filters.ts';

/**
 * Maximum time that a poll waits to learn whether the previous answer was sent, ms. After this time the answer counts as lost, because a killed
 * process never reports an outcome.
 */
const ANSWER_WAIT_MS = 2_000;
const MAX_PAUSE_MS = 50;
/**
 * Maximum number of cached outcomes of polls (answer sent or lost), about 150 bytes each. The cache is needed because the record table may not have
 * an outcome yet.
 */
const MAX_KNOWN = 1_000;
/** Time limit for writing an outcome while the record table fails, ms. */
const COMPLETE_LIMIT_MS = 60_000;
/**
 * Backoff between attempts to write an outcome, ms. The pauses are short compared with `ANSWER_WAIT_MS`. Once the table has recovered, the outcome is
 * therefore written before another process counts the answer as lost.
 */
const PAUSE = { firstMs: 10, maxMs: 100 };

/**
 * Tracks whether answers of polls reached their clients. A poll with a non-empty answer moves its filter, and stores the previous position in
 * `before`. `before` is removed once the answer is sent. An answer can be lost: its record write is late or fails, the client
 * disconnects, or the process is killed. After a lost answer, the next poll in any process starts from the previous position, so no change is lost.
 */
export class DeliveredPolls {
  readonly #stored: StoredFilters;
  readonly #waitMs: number;
  /**
   * Whether an answer was sent, by the nonce of the record write that moved the filter. `false` also stands for a failed write, although a failed
   * write may have taken effect.
   */
  readonly #known: Lru<string, boolean>;

  constructor(
    stored: StoredFilters,
    { lifeMs, answerWaitMs = ANSWER_WAIT_MS }: { readonly lifeMs: number; readonly answerWaitMs?: number },
  ) {
    this.#stored = stored;
    this.#waitMs = answerWaitMs;
    this.#known = new Lru(MAX_KNOWN, lifeMs);
  }

  /**
   * Returns a filter at the position from which the next poll continues: after the previous answer if that answer was sent, otherwise before it.
   * @param find reads the filter; undefined where the filter does not exist
   * @throws ChainError `aborted` when the caller has gone or its deadline has passed
   */
  async findConfirmed(
    find: () => Promise<StoredFilter | undefined>,
    scope: RequestScope,
  ): Promise<StoredFilter | undefined> {
    let nonce: string | undefined;
    let since = 0;
    for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      const found = await find();
      if (found?.record.before === undefined) return found;
      const { record } = found;
      const now = performance.now();
      if (record.nonce !== nonce) since = now;
      nonce = record.nonce;
      const isSent = this.#known.get(nonce);
      if (isSent === false || now - since >= this.#waitMs) {
        const { last, before } = record;
        return isSent === true
          ? { ...found, record: { ...record, before: undefined } }
          : { ...found, record: { ...record, last: before ?? last } };
      }
      if (scope.aborted || now >= scope.deadline) throw new ChainError('aborted', 'aborted');
      await sleep(pause);
    }
  }

  /** Marks a poll's answer as lost after its record write failed. The write may nevertheless have succeeded, or may still succeed. */
  noteLost(nonce: string): void {
    this.#known.set(nonce, false);
  }

  /** Writes the outcome of an answer to the record table once the outcome is known. The write is retried while the table fails. */
  watch(found: LocatedFilter, written: FilterRecord, scope: RequestScope): void {
    scope.whenSent((isSent) => {
      const last = isSent ? written.last : (written.before as string);
      this.#known.set(written.nonce, isSent);
      void this.#complete(found, written.nonce, { ...written, last, before: undefined });
    });
  }

  async #complete(found: LocatedFilter, nonce: string, record: FilterRecord): Promise<void> {
    const backoff = new Backoff(PAUSE);
    const until = performance.now() + COMPLETE_LIMIT_MS;
    while (performance.now() < until) {
      try {
        if (await this.#stored.complete(found, nonce, record)) return;
      } catch (error) {
        if (!(error instanceof RecordTableError)) throw error;
        await sleep(backoff.next(), undefined, { ref: false });
      }
    }
  }
}
