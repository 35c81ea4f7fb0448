import { streamBytes } from '../../../packages/ethereum/primitives/hex-data.ts';
import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { LogFilter } from '../../chain/requests.ts';
import { FeedError, type FeedStep, type NetworkFeed } from '../../feed/feed.ts';
import { RpcError } from '../../rpc/errors.ts';
import { limitOf } from '../../util/bounds.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { SCHEDULER } from '../../util/slot-scheduler.ts';
import { countFurtherValues } from '../log-filter.ts';
import type { Network } from '../network.ts';
import { PendingLookups } from '../pending-lookups.ts';
import { workFor } from '../work-credits.ts';
import { collectLogs } from './collect-logs.ts';
import { DeliveredPolls } from './delivered-polls.ts';
import { createFilterId, createNonce, type FilterSubject, isFilterId } from './filter-record.ts';
import { PendingRing } from './pending-ring.ts';
import { RETRY_PAUSES, retryTable } from './retry-table.ts';
import {
  type LocatedFilter,
  nameFilter,
  type StoredFilter,
  StoredFilters,
  type StoredFiltersOptions,
} from './stored-filters.ts';

/**
 * Returns transaction objects in the order of `hashes`. Transactions that are no longer known are left out.
 * @throws ChainError when the nodes are unavailable, or too many look-ups are queued
 */
async function readTransactions(
  hashes: readonly string[],
  chain: Pick<Chain, 'transactions'>,
  scope: RequestScope,
): Promise<readonly JsonText[]> {
  const lookups = PendingLookups.of(chain);
  const found = await Promise.all(hashes.map((hash) => lookups.find(hash, scope)));
  return found.filter((one) => one !== null);
}

/** Maximum attempts of a poll. Only one of several concurrent polls of a filter wins the compare-and-swap, and the others try again. */
const MAX_ATTEMPTS = limitOf('filter.polls');
/** Maximum items of one answer: hashes, or full transactions. The next poll returns further items. */
const MAX_HASHES = 10_000;
const MAX_TRANSACTIONS = 100;
/** Estimated CPU time of a poll including its write, ms. */
const POLL_MS = 0.25;

export type FilterOptions = StoredFiltersOptions & {
  /** Pauses between attempts at the record table, ms. Default: `RETRY_PAUSES`. */
  readonly retryPauses?: readonly number[];
  /** Maximum time that a poll waits to learn whether the previous answer was sent, ms. */
  readonly answerWaitMs?: number;
};

/** Feed, network and scope of a filter request. */
export type FilterPlace = {
  readonly feed: NetworkFeed;
  readonly network: Pick<Network, 'chain' | 'hasNodes'>;
  readonly scope: RequestScope;
};

/** Result of a poll, and the filter's position after the poll. */
type Changes = { readonly result: JsonResult; readonly last: string };

/**
 * Filters of a network. A filter is a record that all processes share; it contains the filter's criteria and position. A poll reads the changes since
 * the filter's position. The poll then moves the position by compare-and-swap, so no change is returned twice or skipped.
 */
export class Filters {
  readonly #maxOfKey: number;
  readonly #retryPauses: readonly number[];
  readonly #stored: StoredFilters;
  readonly #pending: PendingRing;
  readonly #answers: DeliveredPolls;

  constructor(options: FilterOptions) {
    this.#maxOfKey = options.maxOfKey;
    this.#retryPauses = options.retryPauses ?? RETRY_PAUSES;
    this.#stored = new StoredFilters(options);
    this.#pending = new PendingRing(options.lifeMs);
    this.#answers = new DeliveredPolls(this.#stored, options);
  }

  /**
   * Creates a filter.
   * @returns the id of the filter
   * @throws RpcError `tooManyFilters` when the key's limit is reached
   */
  async create(subject: FilterSubject, place: FilterPlace): Promise<string> {
    const last = await this.#findStart(subject, place);
    const id = createFilterId();
    const name = nameFilter(id, place.scope.owner);
    if (!(await this.#retry(place.scope, () => this.#stored.create(name, subject, last))))
      throw new RpcError('tooManyFilters', 'filters', this.#maxOfKey);
    return id;
  }

  /**
   * Returns the changes since the last poll.
   * @throws RpcError `filter not found`; `busy` when concurrent polls won every attempt
   */
  async poll(id: string, place: FilterPlace): Promise<JsonResult> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const result = await this.#retry(place.scope, () => this.#pollOnce(id, place));
      if (result !== undefined) return result;
    }
    throw new RpcError('busy', 'filter.polls');
  }

  /**
   * Returns the criteria of a log filter.
   * @throws RpcError `filter not found`, also for a filter of another type
   */
  async findLogFilter(id: string, scope: RequestScope): Promise<LogFilter> {
    const criteria = (await this.#retry(scope, () => this.#find(id, scope)))?.criteria;
    if (criteria === undefined) throw new RpcError('serverError', 'filter not found');
    return criteria.filter;
  }

  /**
   * Removes a filter.
   * @returns whether the filter existed
   */
  async remove(id: string, scope: RequestScope): Promise<boolean> {
    if (!isFilterId(id)) return false;
    let found: LocatedFilter | undefined;
    let wasTried = false;
    return this.#retry(scope, async () => {
      found ??= await this.#stored.locate(nameFilter(id, scope.owner));
      if (found === undefined) return false;
      // If a retry does not find the filter, an earlier attempt with unknown outcome has removed the filter.
      const isFirst = !wasTried;
      wasTried = true;
      return (await this.#stored.remove(found)) || !isFirst;
    });
  }

  #retry<T>(scope: RequestScope, work: () => T | Promise<T>): Promise<T> {
    return retryTable(work, scope, this.#retryPauses);
  }

  /** @returns undefined when another poll has moved the filter first; the caller then has to start again */
  async #pollOnce(id: string, place: FilterPlace): Promise<JsonResult | undefined> {
    const { scope } = place;
    const found = await this.#answers.findConfirmed(() => this.#find(id, scope), scope);
    if (found === undefined) throw new RpcError('serverError', 'filter not found');
    const changes = await this.#read(found, place);
    const isDelivered = changes !== undefined && (await this.#advance(found, changes, scope));
    return isDelivered ? changes.result : undefined;
  }

  async #findStart(subject: FilterSubject, place: FilterPlace): Promise<string> {
    if (subject.kind === 'pending') return String(this.#watchPending(place));
    const { feed, scope } = place;
    return (await feed.read({ kind: 'head' }, scope)).last.hash;
  }

  /**
   * Starts or continues to watch pending transactions, and returns the current time, Unix ms.
   * @throws RpcError `methodNotFound` when the network has nodes but none announces pending transactions
   */
  #watchPending({ feed, network }: FilterPlace): number {
    const since = this.#pending.watch(feed);
    if (since === undefined && network.hasNodes === true) {
      throw new RpcError('methodNotFound', 'eth_newPendingTransactionFilter');
    }
    return since ?? Date.now();
  }

  async #find(id: string, scope: RequestScope): Promise<StoredFilter | undefined> {
    const owner = scope.owner ?? '';
    if (SCHEDULER.hasTime(owner)) SCHEDULER.spend(POLL_MS);
    else await SCHEDULER.pause(owner, POLL_MS);
    if (!isFilterId(id)) return undefined;
    return this.#stored.find(nameFilter(id, scope.owner), owner);
  }

  /** @returns undefined when another poll has moved the filter to another position; the caller can then start again from that position */
  async #read(found: StoredFilter, place: FilterPlace): Promise<Changes | undefined> {
    try {
      return await this.#readChanges(found, place);
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      if (error.kind === 'closed') throw new RpcError('unavailable', 'the network is no longer served');
      if (await this.#stored.isMoved(found)) return undefined;
      // The feed cannot continue from the filter's position, so the filter is removed.
      await this.#stored.remove(found);
      throw new RpcError(
        'serverError',
        error.kind === 'tooFar'
          ? 'filter not found: it was removed, because too many blocks have come since its last poll'
          : 'filter not found: it was removed, because the block of its last poll is no longer known',
      );
    }
  }

  async #readChanges(
    { record: { subject, last }, criteria }: StoredFilter,
    place: FilterPlace,
  ): Promise<Changes> {
    const { feed, network, scope } = place;
    if (subject.kind === 'pending') {
      this.#watchPending(place);
      const limit = subject.isFull ? MAX_TRANSACTIONS : MAX_HASHES;
      const { hashes, last: seen } = this.#pending.read(Number(last), limit);
      const items = subject.isFull
        ? await workFor(scope, 'eth_getFilterChanges_transaction', hashes.length, () =>
            readTransactions(hashes, network.chain, scope),
          )
        : hashes.map(quote);
      return { result: joinItems(items), last: String(seen) };
    }
    if (criteria === undefined) return this.#readBlocks(last, place);
    await workFor(scope, 'eth_getLogs_further100Values', countFurtherValues(criteria.filter), () => {});
    const { steps, last: head } = await feed.read({ kind: 'after', hash: last }, scope);
    const collected = await collectLogs(feed, steps, criteria, scope);
    return { result: joinItems(collected.logs), last: collected.last ?? head.hash };
  }

  /**
   * Reads the new blocks of a block filter. The answer cannot express that a block was removed. The filter's position therefore stays the same while
   * the head is an ancestor of the block at the position. A block that leaves the chain and returns while the feed is read is not reported again.
   */
  async #readBlocks(last: string, { feed, scope }: FilterPlace): Promise<Changes> {
    const way: FeedStep[] = [];
    for (let at = last; ; ) {
      const { steps, last: next } = await feed.read({ kind: 'after', hash: at }, scope);
      for (const step of steps) addToWay(way, step);
      const added = way.filter(({ kind }) => kind === 'added').map(({ block }) => quote(block.hash));
      if (added.length > 0) return { result: joinItems(added), last: next.hash };
      if (steps.length === 0) return { result: NOTHING, last };
      at = next.hash;
    }
  }

  /**
   * Moves a filter, or renews its lifetime.
   * @returns false when another poll has moved the filter since this poll read it
   */
  async #advance(found: StoredFilter, { result, last }: Changes, scope: RequestScope): Promise<boolean> {
    const { record } = found;
    const isSame = last === record.last;
    if (isSame && record.before === undefined && !this.#stored.isDue(record)) return true;
    const subject = await this.#stored.renew(found, scope.owner ?? '');
    if (subject === undefined) return false;
    // The request is over. An answer would not be sent, and the changes in it would be lost.
    if (scope.aborted || performance.now() >= scope.deadline) throw new ChainError('aborted', 'aborted');
    const nonce = createNonce();
    const before = isSame || result === NOTHING ? undefined : record.last;
    const written = { ...record, subject, last, before, at: Date.now(), nonce };
    let isReplaced: boolean;
    try {
      isReplaced = await this.#stored.replace(found, written);
    } catch (error) {
      this.#answers.noteLost(nonce);
      throw error;
    }
    if (isReplaced && before !== undefined) this.#answers.watch(found, written, scope);
    return isReplaced || isSame;
  }
}

/**
 * Appends a feed step to `way`, the list of steps from the filter's position. If the new step reverts the last step of `way`, removes the last step
 * instead. `way` is a run of removed blocks, then a run of added blocks, and contains each block once.
 */
function addToWay(way: FeedStep[], step: FeedStep): void {
  const before = way.at(-1);
  if (before?.block.hash === step.block.hash && before.kind !== step.kind) way.pop();
  else way.push(step);
}

function quote(hash: string): JsonText {
  return `"${hash}"`;
}

const NOTHING: JsonText = '[]';
/** Maximum length of an answer that is sent whole, UTF-16 units. A longer answer is streamed, and counts as buffered memory until it is sent. */
const LARGE_ANSWER = 256 * 1024;

/** Joins items to a JSON array. */
function joinItems(items: readonly JsonText[]): JsonResult {
  const text = `[${items.join(',')}]`;
  return text.length > LARGE_ANSWER ? streamBytes(Buffer.from(text)) : text;
}
