import { setTimeout as sleep } from 'node:timers/promises';
import { ChainError } from '../../chain/errors.ts';
import { RecordTableError } from '../../shared-store/records/record-table.ts';
import { Backoff } from '../../util/backoff.ts';
import { Lru } from '../../util/lru.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { FilterRecord } from './filter-record.ts';
import type { LocatedFilter, StoredFilter, StoredFilters } from './stored-filters.ts';

/** Maximum wait of a poll for the previous answer; after that the answer counts as lost, because a killed process never reports it. ms. */
const ANSWER_WAIT_MS = 2_000;
const MAX_PAUSE_MS = 50;
/** Answers whose outcome is known in this process but not yet in the table: about 150 bytes each. */
const MAX_KNOWN = 1_000;
/** Duration for which a record that the table rejects is retried, ms. */
const COMPLETE_LIMIT_MS = 60_000;
/**
 * Retry backoff: short compared with `ANSWER_WAIT_MS`, so that a recovered table has the outcome before another process counts the answer as lost.
 */
const PAUSE = { firstMs: 10, maxMs: 100 };

/**
 * Tracks whether answers of polls reached their clients. A poll with a non-empty answer moves its filter and notes the previous position; the
 * note is removed when the answer is sent. If it is not sent (late write, client gone, process killed), the next poll of any process starts
 * from the previous position, so that nothing is lost.
 */
export class DeliveredPolls {
  readonly #stored: StoredFilters;
  readonly #waitMs: number;
  /** Whether an answer was sent, by the nonce of the record written for it; false where the write itself is uncertain. */
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
   * Returns a filter at the position that the next poll continues from: after an answer once it is sent, or before it if it is lost.
   * @param find reads the filter; undefined where it does not exist
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

  /** Notes a write with unknown outcome: it may have succeeded, or may still succeed. */
  noteLost(nonce: string): void {
    this.#known.set(nonce, false);
  }

  /** Records the outcome of an answer once it is known, with retries while the table rejects writes. */
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
