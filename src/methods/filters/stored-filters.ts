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

/** Fraction that is added to a filter's lifetime, so that not each poll has to write. */
const SLACK = 0.1;
/**
 * Longer criteria, in characters, have a record of their own, so that moving the filter does not rewrite them. Shorter ones are cheaper in a
 * single record, which the previous version can read too.
 */
const MAX_INLINE_LENGTH = 2_048;
/** Estimated CPU time of rewriting a filter's criteria, ms. */
const RENEWAL_MS = 1;

export type StoredFiltersOptions = {
  /** Name of the network. */
  readonly network: string;
  readonly records: RecordTable;
  /** Maximum filters per key, on all networks. */
  readonly maxOfKey: number;
  /** Lifetime of a filter without polls, ms. */
  readonly lifeMs: number;
  /** Default: the process-wide cache. */
  readonly criteria?: FilterCriteriaCache;
};

/** Location and content of the record that a poll replaces. */
export type LocatedFilter = {
  readonly name: string;
  /** Name of that record: the filter's name, or its place record where the criteria are apart. */
  readonly place: string;
  readonly version: string;
  readonly record: FilterRecord;
  /** Criteria of a log filter; JSON text if this process has not parsed them. */
  readonly criteria: FilterCriteria | string | undefined;
};

/** Stored filter with parsed criteria. */
export type StoredFilter = LocatedFilter & { readonly criteria: FilterCriteria | undefined };

/**
 * Filters of a network in the record table. Record `filter/<owner>/<id>` contains criteria and position. Long criteria have this record for
 * themselves, and `filter-place/<owner>/<id>` contains the rest, so that a poll neither reads nor writes the criteria. Each record is renewed
 * before it reaches the age of `SLACK` times a filter's lifetime.
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
   * Writes a new filter, replacing one with the same name. @returns false when the key's limit is reached
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
    // The key's limit applies to this record, which is rejected without a write.
    if (!(await records.create(name, text, this.#storedMs, maxOfKey))) return false;
    const apart = { kind: 'logs', criteria: undefined, renewedAt: at } as const;
    // Place records may be left over from a table failure between two operations.
    if (await write(apart, namePlace(name), 2 * maxOfKey)) return true;
    await records.remove(name);
    return false;
  }

  /** Returns a filter with parsed criteria, or undefined. @param owner long criteria are parsed in its scheduler slots @throws RecordTableError */
  async find(name: string, owner: string): Promise<StoredFilter | undefined> {
    const located = await this.locate(name);
    if (located === undefined) return undefined;
    const { place, criteria } = located;
    if (typeof criteria !== 'string') return { ...located, criteria };
    const parsed = await this.#criteria.load(name, criteria, place !== name, owner);
    return parsed && { ...located, criteria: parsed };
  }

  /** Returns a filter without parsing its criteria, or undefined. @throws RecordTableError */
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

  /** Whether a filter still exists and was moved since it was read. */
  async isMoved({ place, version }: LocatedFilter): Promise<boolean> {
    const stored = await this.#options.records.read(place);
    return stored !== undefined && stored.version !== version;
  }

  /** Whether the record is old enough to be rewritten at an unchanged position. */
  isDue({ at }: FilterRecord): boolean {
    const age = Date.now() - at;
    return age < 0 || age >= this.#options.lifeMs * SLACK;
  }

  /**
   * Renews the record of criteria that are apart, where due. @returns the subject for the filter's record, or undefined where the criteria,
   * and with them the filter, no longer exist
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
    // If the replace fails, another poll has renewed the record or the filter is being removed.
    await records.replace(name, stored.version, stored.text, this.#storedMs);
    return { ...subject, renewedAt };
  }

  /** Moves a filter. @returns false when another poll was faster */
  replace({ place, version }: LocatedFilter, record: FilterRecord): boolean | Promise<boolean> {
    return this.#options.records.replace(place, version, encodeFilterRecord(record), this.#storedMs);
  }

  /** Replaces the record with this nonce, if it is still the current one. @returns whether the work is complete; false on a lost race */
  async complete({ place }: LocatedFilter, nonce: string, record: FilterRecord): Promise<boolean> {
    const { records } = this.#options;
    const stored = await records.read(place);
    if (stored === undefined || parseFilterRecord(stored.text)?.nonce !== nonce) return true;
    return records.replace(place, stored.version, encodeFilterRecord(record), this.#storedMs);
  }

  /** @returns whether the filter existed */
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

/** Returns the record name of a filter. @param owner owner of the scope; the empty string where it has none */
export function nameFilter(id: string, owner = ''): string {
  return `filter/${owner}/${id}`;
}
