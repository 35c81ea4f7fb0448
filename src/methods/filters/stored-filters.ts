import { RpcError } from '../../rpc/errors.ts';
import { MAX_RECORD_BYTES, type RecordTable } from '../../shared-store/records/record-table.ts';
import { SCHEDULER } from '../../util/slot-scheduler.ts';
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

/** Fraction that is added to the stored lifetime of a filter. Because of this margin, most polls need not write the record to renew its lifetime. */
const SLACK = 0.1;
/**
 * Maximum length of criteria that are stored inside the filter's record, in characters. Longer criteria have a separate record, so moving the filter
 * does not rewrite them. For shorter criteria, a single record is cheaper, and the previous version of the service can also read the record.
 */
const MAX_INLINE_LENGTH = 2_048;
/** Estimated CPU time of rewriting a filter's separate criteria record, ms. */
const RENEWAL_MS = 1;

export type StoredFiltersOptions = {
  /** Name of the network. */
  readonly network: string;
  readonly records: RecordTable;
  /** Maximum filters per key, counted over all networks. */
  readonly maxOfKey: number;
  /** Lifetime of a filter without polls, ms. */
  readonly lifeMs: number;
  /** Cache of parsed criteria. The default is the process-wide cache. */
  readonly criteria?: FilterCriteriaCache;
};

/** Location and content of the record that a poll replaces. */
export type LocatedFilter = {
  readonly name: string;
  /** Name of the record that a poll replaces: the filter's own record, or `filter-place/<owner>/<id>` if the criteria are stored separately. */
  readonly place: string;
  readonly version: string;
  readonly record: FilterRecord;
  /** Criteria of a log filter; JSON text if this process has not parsed them. */
  readonly criteria: FilterCriteria | string | undefined;
};

/** Stored filter with parsed criteria. */
export type StoredFilter = LocatedFilter & { readonly criteria: FilterCriteria | undefined };

/**
 * Filters of a network in the record table. Record `filter/<owner>/<id>` contains criteria and position. If the criteria are long, the record
 * contains only the criteria, and a place record `filter-place/<owner>/<id>` contains the rest. A poll of such a filter neither reads nor writes the
 * long criteria. Each record is renewed by the first poll after its age reaches `SLACK` times a filter's lifetime.
 */
export class StoredFilters {
  readonly #options: StoredFiltersOptions;
  readonly #criteria: FilterCriteriaCache;
  readonly #storedMs: number;

  constructor(options: StoredFiltersOptions) {
    this.#options = options;
    this.#criteria = options.criteria ?? FILTER_CRITERIA;
    this.#storedMs = Math.ceil(options.lifeMs * (1 + SLACK));
  }

  /**
   * Writes a new filter. A filter with the same name is replaced.
   * @returns false when the key's limit is reached
   * @throws RpcError `filterTooLarge`; RecordTableError
   */
  async create(name: string, subject: FilterSubject, last: string): Promise<boolean> {
    const { network, records, maxOfKey } = this.#options;
    const at = Date.now();
    const write = (stored: StoredSubject, place: string, max: number): boolean | Promise<boolean> =>
      records.create(
        place,
        encodeFilterRecord({ network, subject: stored, last, before: undefined, at, nonce: createNonce() }),
        this.#storedMs,
        max,
      );
    if (subject.kind !== 'logs') return write(subject, name, maxOfKey);
    const criteria = encodeCriteria(subject.filter);
    if (criteria.length <= MAX_INLINE_LENGTH) return write({ kind: 'logs', criteria }, name, maxOfKey);
    const text = encodeCriteriaRecord({ network, criteria });
    if (Buffer.byteLength(text) > MAX_RECORD_BYTES)
      throw new RpcError('filterTooLarge', 'filter.bytes', MAX_RECORD_BYTES);
    // The key's limit applies to the criteria record. At the limit, the table rejects the record without a write.
    if (!(await records.create(name, text, this.#storedMs, maxOfKey))) return false;
    const apart = { kind: 'logs', criteria: undefined, renewedAt: at } as const;
    // The limit for place records (position of a filter) is twice as high, because a table failure between two operations may leave a place record
    // behind, for example between the removals of a filter's two records.
    if (await write(apart, namePlace(name), 2 * maxOfKey)) return true;
    await records.remove(name);
    return false;
  }

  /**
   * Returns a filter with parsed criteria, or undefined where none exists or its criteria are invalid.
   * @param owner owner in whose scheduler slots the criteria are parsed
   * @throws RecordTableError
   */
  async find(name: string, owner: string): Promise<StoredFilter | undefined> {
    const located = await this.locate(name);
    if (located === undefined) return undefined;
    const { place, criteria } = located;
    if (typeof criteria !== 'string') return { ...located, criteria };
    const parsed = await this.#criteria.load(name, criteria, place !== name, owner);
    return parsed && { ...located, criteria: parsed };
  }

  /**
   * Returns a filter without parsing its criteria, or undefined where none exists.
   * @throws RecordTableError
   */
  async locate(name: string): Promise<LocatedFilter | undefined> {
    const { records, network } = this.#options;
    const cached = this.#criteria.find(name);
    if (cached?.isApart === true) return this.#readPlace(name, cached);
    const stored = await records.read(name);
    if (stored === undefined) return undefined;
    const { text, version } = stored;
    const apart = parseCriteriaRecord(text);
    if (apart !== undefined)
      return apart.network === network ? this.#readPlace(name, apart.criteria) : undefined;
    const record = parseFilterRecord(text);
    if (record?.network !== network) return undefined;
    const criteria = record.subject.kind === 'logs' ? (cached ?? record.subject.criteria) : undefined;
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

  /** Whether a filter still exists, but was written since `version` was read. */
  async isMoved({ place, version }: LocatedFilter): Promise<boolean> {
    const stored = await this.#options.records.read(place);
    return stored !== undefined && stored.version !== version;
  }

  /** Whether the record is old enough to be rewritten, even at an unchanged position, to renew its lifetime. */
  isDue({ at }: FilterRecord): boolean {
    const age = Date.now() - at;
    return age < 0 || age >= this.#options.lifeMs * SLACK;
  }

  /**
   * Renews a separate criteria record if the record is due for renewal.
   * @returns the filter's type and criteria, to be written to its record. Undefined if the separate criteria record, and thus the filter, no longer
   * exists.
   */
  async renew({ name, place, record }: LocatedFilter, owner: string): Promise<StoredSubject | undefined> {
    const { subject } = record;
    if (subject.kind !== 'logs' || subject.criteria !== undefined) return subject;
    const { records } = this.#options;
    if (!this.isDue({ ...record, at: subject.renewedAt })) return subject;
    await SCHEDULER.pause(owner, RENEWAL_MS);
    const renewedAt = Date.now();
    const stored = await records.read(name);
    if (stored === undefined) {
      await records.remove(place);
      return undefined;
    }
    // If the replace fails, another poll has renewed the criteria record, or the filter is being removed. In both cases, nothing remains to be done.
    await records.replace(name, stored.version, stored.text, this.#storedMs);
    return { ...subject, renewedAt };
  }

  /**
   * Writes a filter that was moved or renewed.
   * @returns false when another poll has written the record first
   */
  replace({ place, version }: LocatedFilter, record: FilterRecord): boolean | Promise<boolean> {
    return this.#options.records.replace(place, version, encodeFilterRecord(record), this.#storedMs);
  }

  /**
   * Replaces the filter's record if the record still has the nonce.
   * @returns true when nothing remains to be done; false when another write won the compare-and-swap
   */
  async complete({ place }: LocatedFilter, nonce: string, record: FilterRecord): Promise<boolean> {
    const { records } = this.#options;
    const stored = await records.read(place);
    if (stored === undefined || parseFilterRecord(stored.text)?.nonce !== nonce) return true;
    return records.replace(place, stored.version, encodeFilterRecord(record), this.#storedMs);
  }

  /**
   * Removes all records of a filter.
   * @returns whether the filter existed
   */
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

/**
 * Returns the name of a filter's record.
 * @param owner owner of the filter; the empty string where the scope has no owner
 */
export function nameFilter(id: string, owner = ''): string {
  return `filter/${owner}/${id}`;
}
