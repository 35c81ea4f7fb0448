import type { LogFilter } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import { FeedError, type FeedStep, type NetworkFeed } from '../../feed/feed.ts';
import { streamBytes } from '../../primitives/hex-data.ts';
import type { JsonResult, JsonText } from '../../primitives/json-result.ts';
import { MAX_RECORD_BYTES, type RecordTable, RecordTableError } from '../../records/record-table.ts';
import { RpcError } from '../../rpc/errors.ts';
import { limitOf } from '../../util/bounds.ts';
import { Lru } from '../../util/lru.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { countFurtherValues } from '../log-filter.ts';
import type { Network } from '../network.ts';
import { workFor } from '../work-credits.ts';
import { collectLogs } from './collect-logs.ts';
import {
  createFilterId,
  createNonce,
  encodeFilterRecord,
  type FilterRecord,
  type FilterSubject,
  isFilterId,
  isOfNetwork,
  parseFilterRecord,
} from './filter-record.ts';
import { PendingRing } from './pending-ring.ts';
import { readTransactions } from './read-transactions.ts';
import { RETRY_PAUSES, retryTable } from './retry-table.ts';

/** Polls of one filter at the same time: each repeats after another one that was faster. */
const MAX_ATTEMPTS = limitOf('filter.polls');
/** Of one answer; the next one goes on behind them. */
const MAX_HASHES = 10_000;
const MAX_TRANSACTIONS = 100;
/** A filter lives longer than it has to by this part, so that not each poll writes. */
const SLACK = 0.1;
/** Filters of which an answer may have been lost, remembered by this process, and attempts of each. */
const MAX_UNANSWERED = 1_000;
const MAX_LOST_ATTEMPTS = 2 * MAX_ATTEMPTS;

export type FilterOptions = {
  /** Name of the network. */
  readonly network: string;
  readonly records: RecordTable;
  /** Filters that a key may have, on all networks. */
  readonly maxOfKey: number;
  /** How long a filter lives that is not polled. */
  readonly lifeMs: number;
  /** Between two attempts at records, milliseconds. */
  readonly retryPauses?: readonly number[];
};

/** Where a filter is asked for: its network's feed and chain. */
export type FilterPlace = {
  readonly feed: NetworkFeed;
  readonly network: Pick<Network, 'chain' | 'hasNodes'>;
  readonly scope: RequestScope;
};

type Found = {
  readonly name: string;
  readonly version: string;
  /** What is gone on from. */
  readonly record: FilterRecord;
  /** Whether that is what is stored, not what was before an answer that was not given. */
  readonly isStored: boolean;
};

/** A filter that was moved on, or may have been, for answers that were not given. */
type Unanswered = {
  /** What it is to go on from. */
  readonly record: FilterRecord;
  /** Of the records that were written, or may have been, in its place. */
  readonly nonces: readonly string[];
};

/** What a poll answers, and what the filter has been answered up to then. */
type Changes = { readonly result: JsonResult; readonly last: string };

/**
 * The filters of a network. A filter is a record that processes share, of its criteria and of the block that it was answered up to; a poll
 * reads from the feed what has happened since, and moves it on if no other poll has: nothing is given twice, and nothing is left out.
 */
export class Filters {
  readonly #options: FilterOptions;
  readonly #pending: PendingRing;
  /** By the name of the record. */
  readonly #unanswered: Lru<string, Unanswered>;

  constructor(options: FilterOptions) {
    this.#options = { retryPauses: RETRY_PAUSES, ...options };
    this.#pending = new PendingRing(options.lifeMs);
    this.#unanswered = new Lru(MAX_UNANSWERED, options.lifeMs);
  }

  /** @returns the new filter's id @throws RpcError where the key may have no further one */
  async create(subject: FilterSubject, place: FilterPlace): Promise<string> {
    const { network, records, maxOfKey } = this.#options;
    const last = await this.#findStart(subject, place);
    const text = encodeFilterRecord({ network, subject, last, at: Date.now(), nonce: createNonce() });
    if (Buffer.byteLength(text) > MAX_RECORD_BYTES) {
      throw new RpcError('filterTooLarge', 'filter.bytes', MAX_RECORD_BYTES);
    }
    const id = createFilterId();
    const isCreated = await this.#retry(place.scope, () =>
      records.create(nameFilter(id, place.scope), text, this.#keptMs, maxOfKey),
    );
    if (!isCreated) {
      throw new RpcError('tooManyFilters', 'filters', maxOfKey);
    }
    return id;
  }

  /** What has happened since the last poll. @throws RpcError `filter not found` */
  async poll(id: string, place: FilterPlace): Promise<JsonResult> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const result = await this.#retry(place.scope, () => this.#pollOnce(id, place));
      if (result !== undefined) return result;
    }
    throw new RpcError('busy', 'filter.polls');
  }

  /** The criteria of a filter for logs. @throws RpcError `filter not found`, of one for something else too */
  async findLogFilter(id: string, scope: RequestScope): Promise<LogFilter> {
    const { subject } = (await this.#retry(scope, () => this.#find(id, scope))).record;
    if (subject.kind !== 'logs') throw new RpcError('serverError', 'filter not found');
    return subject.filter;
  }

  /** @returns whether there was one */
  async remove(id: string, scope: RequestScope): Promise<boolean> {
    let wasThere = false;
    return this.#retry(scope, async () => {
      const { records, network } = this.#options;
      const name = nameFilter(id, scope);
      const stored = isFilterId(id) ? await records.read(name) : undefined;
      if (stored === undefined || !isOfNetwork(stored.text, network)) return wasThere;
      // One that is not there at the next attempt was removed by this one.
      wasThere = true;
      return records.remove(name);
    });
  }

  #retry<T>(scope: RequestScope, work: () => T | Promise<T>): Promise<T> {
    return retryTable(work, scope, this.#options.retryPauses);
  }

  /** @returns undefined where another poll was faster */
  async #pollOnce(id: string, place: FilterPlace): Promise<JsonResult | undefined> {
    const found = await this.#find(id, place.scope);
    const changes = await this.#read(found, place);
    const isGiven = changes !== undefined && (await this.#advance(found, changes.last, place.scope));
    return isGiven ? changes.result : undefined;
  }

  get #keptMs(): number {
    return Math.ceil(this.#options.lifeMs * (1 + SLACK));
  }

  async #findStart(subject: FilterSubject, place: FilterPlace): Promise<string> {
    if (subject.kind === 'pending') return String(this.#watchPending(place));
    const { feed, scope } = place;
    return (await feed.read({ kind: 'head' }, scope)).last.hash;
  }

  /** @throws RpcError where nodes should have such transactions and announce none */
  #watchPending({ feed, network }: FilterPlace): number {
    const since = this.#pending.watch(feed);
    if (since === undefined && network.hasNodes === true) {
      throw new RpcError('methodNotFound', 'eth_newPendingTransactionFilter');
    }
    return since ?? Date.now();
  }

  async #find(id: string, scope: RequestScope): Promise<Found> {
    const found = await this.#seek(id, scope);
    if (found === undefined) throw new RpcError('serverError', 'filter not found');
    return found;
  }

  async #seek(id: string, scope: RequestScope): Promise<Found | undefined> {
    if (!isFilterId(id)) return undefined;
    const { records, network } = this.#options;
    const name = nameFilter(id, scope);
    const stored = await records.read(name);
    if (stored === undefined || !isOfNetwork(stored.text, network)) return undefined;
    const parsed = parseFilterRecord(stored.text);
    if (parsed === undefined) return undefined;
    const unanswered = this.#unanswered.get(name);
    const isStored = unanswered?.nonces.includes(parsed.nonce) !== true;
    return { name, version: stored.version, record: isStored ? parsed : unanswered.record, isStored };
  }

  /** @returns undefined where another poll was faster, and left what can be gone on from */
  async #read(found: Found, place: FilterPlace): Promise<Changes | undefined> {
    try {
      return await this.#readChanges(found.record, place);
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      if (error.kind === 'closed') throw new RpcError('unavailable', 'the network is no longer served');
      const { records } = this.#options;
      const stored = await records.read(found.name);
      if (stored !== undefined && stored.version !== found.version) return undefined;
      // It can never be answered again.
      await records.remove(found.name);
      throw new RpcError(
        'serverError',
        error.kind === 'tooFar'
          ? 'filter not found: it was removed, since more blocks have come since its last poll than can be given'
          : 'filter not found: it was removed, since the block of its last poll is not known any more',
      );
    }
  }

  async #readChanges({ subject, last }: FilterRecord, place: FilterPlace): Promise<Changes> {
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
    if (subject.kind === 'blocks') return this.#readBlocks(last, place);
    await workFor(scope, 'eth_getLogs_further100Values', countFurtherValues(subject.filter), () => {});
    const { steps, last: head } = await feed.read({ kind: 'after', hash: last }, scope);
    const collected = await collectLogs(feed, steps, subject.filter, scope);
    return { result: joinItems(collected.logs), last: collected.last ?? head.hash };
  }

  /**
   * No answer says that a block was removed, so a filter of blocks stays where it is while the head is an ancestor of its last block, and a
   * block that left the chain and came back while it was read, since the head moved, is not given again.
   */
  async #readBlocks(last: string, { feed, scope }: FilterPlace): Promise<Changes> {
    const way: FeedStep[] = [];
    for (let at = last; ; ) {
      const { steps, last: next } = await feed.read({ kind: 'after', hash: at }, scope);
      for (const step of steps) addToWay(way, step);
      const added = way.filter(({ kind }) => kind === 'added').map(({ block }) => quote(block.hash));
      if (added.length > 0) return { result: joinItems(added), last: next.hash };
      if (steps.length === 0) return { result: '[]', last };
      at = next.hash;
    }
  }

  /** Moves a filter on, or renews its life. @returns false where another poll has moved it since it was read */
  async #advance(
    { name, version, record, isStored }: Found,
    last: string,
    scope: RequestScope,
  ): Promise<boolean> {
    const { records, lifeMs } = this.#options;
    const at = Date.now();
    const age = at - record.at;
    const isSame = last === record.last;
    if (isSame && isStored && age >= 0 && age < lifeMs * SLACK) return true;
    // The answer could not be sent any more.
    if (scope.aborted || performance.now() >= scope.deadline) throw new ChainError('aborted', 'aborted');
    const nonce = createNonce();
    const written = encodeFilterRecord({ ...record, last, at, nonce });
    let isReplaced: boolean;
    try {
      isReplaced = await records.replace(name, version, written, this.#keptMs);
    } catch (error) {
      // It may have been written all the same, or may be yet.
      this.#noteUnanswered(name, record, nonce);
      throw error;
    }
    if (isReplaced && scope.aborted) await this.#putBack(name, record, nonce);
    else if (isReplaced) this.#unanswered.delete(name);
    return isReplaced || isSame;
  }

  #noteUnanswered(name: string, record: FilterRecord, nonce: string): void {
    const known = this.#unanswered.get(name);
    const before = known?.record.nonce === record.nonce ? known.nonces : [];
    this.#unanswered.set(name, { record, nonces: [...before, nonce].slice(-MAX_LOST_ATTEMPTS) });
  }

  /** Takes a filter back to where it was before an answer that could not be sent, for all processes; where the table fails for this one. */
  async #putBack(name: string, record: FilterRecord, nonce: string): Promise<void> {
    this.#noteUnanswered(name, record, nonce);
    const { records } = this.#options;
    try {
      const stored = await records.read(name);
      if (stored === undefined || parseFilterRecord(stored.text)?.nonce !== nonce) return;
      if (await records.replace(name, stored.version, encodeFilterRecord(record), this.#keptMs))
        this.#unanswered.delete(name);
    } catch (error) {
      if (!(error instanceof RecordTableError)) throw error;
    }
  }
}

/** Adds a step to a way, or takes the way's last step back where this one does: what is left are removed blocks, then added ones, each once. */
function addToWay(way: FeedStep[], step: FeedStep): void {
  const before = way.at(-1);
  if (before?.block.hash === step.block.hash && before.kind !== step.kind) way.pop();
  else way.push(step);
}

function quote(hash: string): JsonText {
  return `"${hash}"`;
}

function nameFilter(id: string, { owner = '' }: RequestScope): string {
  return `filter/${owner}/${id}`;
}

/** Longer answers are handed on in pieces, and count as memory that is held until they are sent. */
const LARGE_ANSWER = 256 * 1024;

/** A JSON array. */
function joinItems(items: readonly JsonText[]): JsonResult {
  const text = `[${items.join(',')}]`;
  return text.length > LARGE_ANSWER ? streamBytes(Buffer.from(text)) : text;
}
