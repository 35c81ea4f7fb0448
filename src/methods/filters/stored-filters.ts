import { MAX_RECORD_BYTES, type RecordTable } from '../../records/record-table.ts';
import { RpcError } from '../../rpc/errors.ts';
import { TURNS } from '../../util/turn-queue.ts';
import { FILTER_CRITERIA, type FilterCriteria, type FilterCriteriaCache } from './filter-criteria.ts';
import {
  createNonce,
  encodeCriteria,
  encodeCriteriaRecord,
  encodeFilterRecord,
  type FilterRecord,
  type FilterSubject,
  parseCriteriaRecord,
  parseFilterRecord,
  type StoredSubject,
} from './filter-record.ts';

/** A filter lives longer than it has to by this part, so that not each poll writes. */
const SLACK = 0.1;
/**
 * Criteria with more characters have a record of their own, beside which the place of their filter is moved on. Shorter ones are cheaper in
 * one record, which the version before reads too.
 */
const MAX_INLINE_LENGTH = 2_048;
/** Reading and writing the criteria of a filter again takes about as long, in milliseconds. */
const RENEWAL_MS = 1;

export type StoredFiltersOptions = {
  /** Name of the network. */
  readonly network: string;
  readonly records: RecordTable;
  /** Filters that a key may have, on all networks. */
  readonly maxOfKey: number;
  /** How long a filter lives that is not polled. */
  readonly lifeMs: number;
  /** By default those of the process. */
  readonly criteria?: FilterCriteriaCache;
};

/** Where the record of a filter is that a poll replaces. */
export type LocatedFilter = {
  readonly name: string;
  /** Name of that record: the filter's, or another one where its criteria are apart. */
  readonly place: string;
  readonly version: string;
  readonly record: FilterRecord;
  /** Criteria of a filter for logs; a JSON text where this process has not parsed them. */
  readonly criteria: FilterCriteria | string | undefined;
};

/** A filter as it is stored. */
export type StoredFilter = LocatedFilter & { readonly criteria: FilterCriteria | undefined };

/**
 * The filters of a network in the table of records. The record `filter/<owner>/<id>` has the criteria, and what the filter was answered up to;
 * where the criteria are long it has them alone, and `filter-place/<owner>/<id>` has the rest, so that a poll neither reads nor writes the
 * criteria. Each record is renewed before it has lived for `SLACK` of a filter's life.
 */
export class StoredFilters {
  readonly #options: StoredFiltersOptions;
  readonly #criteria: FilterCriteriaCache;
  readonly #keptMs: number;

  constructor(options: StoredFiltersOptions) {
    this.#options = options;
    this.#criteria = options.criteria ?? FILTER_CRITERIA;
    this.#keptMs = Math.ceil(options.lifeMs * (1 + SLACK));
  }

  /**
   * Writes a new filter, over one of this name. @returns false where the key may have no further one
   * @throws RpcError `filterTooLarge`; RecordTableError
   */
  async create(name: string, subject: FilterSubject, last: string): Promise<boolean> {
    const { network, records, maxOfKey } = this.#options;
    const at = Date.now();
    const write = (stored: StoredSubject, place: string, max: number): boolean | Promise<boolean> =>
      records.create(
        place,
        encodeFilterRecord({ network, subject: stored, last, before: undefined, at, nonce: createNonce() }),
        this.#keptMs,
        max,
      );
    if (subject.kind !== 'logs') return write(subject, name, maxOfKey);
    const criteria = encodeCriteria(subject.filter);
    if (criteria.length <= MAX_INLINE_LENGTH) return write({ kind: 'logs', criteria }, name, maxOfKey);
    const text = encodeCriteriaRecord({ network, criteria });
    if (Buffer.byteLength(text) > MAX_RECORD_BYTES)
      throw new RpcError('filterTooLarge', 'filter.bytes', MAX_RECORD_BYTES);
    // The bounds of a key are those of this record, which is refused without a write.
    if (!(await records.create(name, text, this.#keptMs, maxOfKey))) return false;
    const apart = { kind: 'logs', criteria: undefined, renewedAt: at } as const;
    // Places may be left over where the table failed between two operations.
    if (await write(apart, namePlace(name), 2 * maxOfKey)) return true;
    await records.remove(name);
    return false;
  }

  /** @param owner long criteria are parsed in turns of this owner @throws RecordTableError */
  async find(name: string, owner: string): Promise<StoredFilter | undefined> {
    const located = await this.locate(name);
    if (located === undefined) return undefined;
    const { place, criteria } = located;
    if (typeof criteria !== 'string') return { ...located, criteria };
    const parsed = await this.#criteria.load(name, criteria, place !== name, owner);
    return parsed && { ...located, criteria: parsed };
  }

  /** The same without parsing its criteria. */
  async locate(name: string): Promise<LocatedFilter | undefined> {
    const { records, network } = this.#options;
    const kept = this.#criteria.find(name);
    if (kept?.isApart === true) return this.#readPlace(name, kept);
    const stored = await records.read(name);
    if (stored === undefined) return undefined;
    const { text, version } = stored;
    const apart = parseCriteriaRecord(text);
    if (apart !== undefined)
      return apart.network === network ? this.#readPlace(name, apart.criteria) : undefined;
    const record = parseFilterRecord(text);
    if (record?.network !== network) return undefined;
    const criteria = record.subject.kind === 'logs' ? (kept ?? record.subject.criteria) : undefined;
    return { name, place: name, version, record, criteria };
  }

  async #readPlace(name: string, criteria: FilterCriteria | string): Promise<LocatedFilter | undefined> {
    const { records, network } = this.#options;
    const place = namePlace(name);
    const stored = await records.read(place);
    if (stored === undefined) this.#criteria.forget(name);
    const record = stored && parseFilterRecord(stored.text);
    if (stored === undefined || record?.network !== network) return undefined;
    return { name, place, version: stored.version, record, criteria };
  }

  /** Whether a filter has been moved on since it was found, and is there. */
  async isMoved({ place, version }: LocatedFilter): Promise<boolean> {
    const stored = await this.#options.records.read(place);
    return stored !== undefined && stored.version !== version;
  }

  /** Whether the record is so old that it is written again, although its position is the same. */
  isDue({ at }: FilterRecord): boolean {
    const age = Date.now() - at;
    return age < 0 || age >= this.#options.lifeMs * SLACK;
  }

  /**
   * Renews the life of criteria that are apart, where that is due. @returns what the filter's record is to say of them
   * from now on; undefined where they are gone, and the filter with them
   */
  async renew({ name, place, record }: LocatedFilter, owner: string): Promise<StoredSubject | undefined> {
    const { subject } = record;
    if (subject.kind !== 'logs' || subject.criteria !== undefined) return subject;
    const { records } = this.#options;
    if (!this.isDue({ ...record, at: subject.renewedAt })) return subject;
    await TURNS.pause(owner, RENEWAL_MS);
    const renewedAt = Date.now();
    const stored = await records.read(name);
    if (stored === undefined) {
      await records.remove(place);
      return undefined;
    }
    // Where it is not replaced another poll has renewed it, or it is being removed.
    await records.replace(name, stored.version, stored.text, this.#keptMs);
    return { ...subject, renewedAt };
  }

  /** Moves a filter on. @returns false where another poll was faster */
  replace({ place, version }: LocatedFilter, record: FilterRecord): boolean | Promise<boolean> {
    return this.#options.records.replace(place, version, encodeFilterRecord(record), this.#keptMs);
  }

  /** Writes another record in place of the one with this nonce, where that is there still. @returns whether nothing is left to do */
  async settle({ place }: LocatedFilter, nonce: string, record: FilterRecord): Promise<boolean> {
    const { records } = this.#options;
    const stored = await records.read(place);
    if (stored === undefined || parseFilterRecord(stored.text)?.nonce !== nonce) return true;
    return records.replace(place, stored.version, encodeFilterRecord(record), this.#keptMs);
  }

  /** @returns whether there was one */
  async remove({ name, place }: LocatedFilter): Promise<boolean> {
    const { records } = this.#options;
    this.#criteria.forget(name);
    const wasThere = await records.remove(name);
    return place === name ? wasThere : (await records.remove(place)) || wasThere;
  }
}

function namePlace(name: string): string {
  return name.replace(/^filter\//, 'filter-place/');
}

export function nameFilter(id: string, owner = ''): string {
  return `filter/${owner}/${id}`;
}
