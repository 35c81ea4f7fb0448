import { setTimeout as sleep } from 'node:timers/promises';
import { ChainError } from '../../chain/errors.ts';
import { RecordTableError } from '../../records/record-table.ts';
import { Backoff } from '../../util/backoff.ts';
import { Lru } from '../../util/lru.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { FilterRecord } from './filter-record.ts';
import type { LocatedFilter, StoredFilter, StoredFilters } from './stored-filters.ts';

/** How long a poll waits for the answer of the one before it; then that answer counts as lost. A process that was killed never says. */
const ANSWER_WAIT_MS = 2_000;
const MAX_PAUSE_MS = 50;
/** Answers of which this process knows what the table does not say yet: about 150 bytes each. */
const MAX_KNOWN = 1_000;
/** Attempts at a record that the table does not take now, and pauses between them: together most of a minute. */
const MAX_ATTEMPTS = 64;
const PAUSE = { firstMs: 10, maxMs: 1_000 };

/**
 * Whether answers of polls have reached their clients. A poll that gives something moves its filter on with a note of where it was before, which is
 * removed when the answer has been sent. Where that does not happen (the write came late, the client has gone, the process was killed) the next
 * poll, of whichever process, begins where this one has begun: nothing is lost.
 */
export class GivenAnswers {
  readonly #stored: StoredFilters;
  readonly #waitMs: number;
  /** Whether an answer was sent, by the nonce of the record that was written for it, or may have been. */
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
   * A filter as the next poll is to go on from it: after an answer that is on its way, or where that is lost from before it.
   * @param find reads it; undefined where it is not there
   * @throws ChainError `aborted` where the caller has gone meanwhile
   */
  async findSettled(
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

  /** The record could not be written as far as is known: it may have been all the same, or may be yet. */
  noteLost(nonce: string): void {
    this.#known.set(nonce, false);
  }

  /** Writes of an answer whether it was sent, once that is known, again and again while the table does not take it. */
  watch(found: LocatedFilter, written: FilterRecord, scope: RequestScope): void {
    scope.whenSent((isSent) => {
      const last = isSent ? written.last : (written.before as string);
      this.#known.set(written.nonce, isSent);
      void this.#settle(found, written.nonce, { ...written, last, before: undefined });
    });
  }

  async #settle(found: LocatedFilter, nonce: string, record: FilterRecord): Promise<void> {
    const backoff = new Backoff(PAUSE);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        if (await this.#stored.settle(found, nonce, record)) return;
      } catch (error) {
        if (!(error instanceof RecordTableError)) throw error;
        await sleep(backoff.next(), undefined, { ref: false });
      }
    }
  }
}
