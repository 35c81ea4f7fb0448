import { join } from 'node:path';
import { SharedLmdbTable } from '../../util/shared-lmdb-table.ts';
import {
  HEIGHT_LEASE_MS,
  HEIGHT_LIFE_MS,
  HEIGHT_SLACK_MS,
  type HeightTable,
  type OtherHeights,
  type OwnHeights,
} from './height-table.ts';

/** Entry of one process; times are Unix ms. */
type Entry = {
  readonly id: string;
  readonly served: number | undefined;
  readonly announced: number | undefined;
  /** Time when the first process announced the height. If the height counted as served immediately, the duration of a lease is subtracted. */
  readonly since: number;
  /** Time when the process last read the entries of other processes. */
  readonly readAt: number;
};

const MAP_BYTES = 1 << 26;

/** Heights in an LMDB environment of their own, `<dataDir>/heights`. */
export class LmdbHeightTable implements HeightTable {
  /** Table from a chain to the entries of all processes. */
  readonly #table: SharedLmdbTable<readonly Entry[]>;
  readonly #now: () => number;
  readonly #onFault: (error: unknown) => void;

  /**
   * @param onFault called for each failed exchange
   * @param now wall clock, Unix ms
   */
  constructor(dataDir: string, onFault: (error: unknown) => void, now: () => number = Date.now) {
    this.#table = new SharedLmdbTable(join(dataDir, 'heights'), MAP_BYTES);
    this.#onFault = onFault;
    this.#now = now;
  }

  exchange(chain: string, reader: string, { served, announced }: OwnHeights): OtherHeights | undefined {
    try {
      return this.#table.write((table) => {
        const now = this.#now();
        const entries = table.get(chain) ?? [];
        const own = entries.find(({ id }) => id === reader);
        const others = entries.filter(
          ({ id, readAt }) => id !== reader && Math.abs(now - readAt) < HEIGHT_LIFE_MS,
        );
        const heights = describe(others, now);
        const ages = heights.rising.map(({ height, ageMs }) => (height >= (announced ?? 0) ? ageMs : 0));
        const from = now - (heights.hasReaders ? Math.max(0, ...ages) : HEIGHT_LEASE_MS);
        const since = own?.announced === announced ? (own?.since ?? from) : from;
        table.putSync(chain, [...others, { id: reader, served, announced, since, readAt: now }]);
        return heights;
      });
    } catch (error) {
      this.#onFault(error);
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#table.close();
  }
}

function describe(others: readonly Entry[], now: number): OtherHeights {
  const isServed = ({ since }: Entry): boolean => now - since >= HEIGHT_LEASE_MS;
  return {
    served: findHighest(
      others.flatMap((entry) => (isServed(entry) ? [entry.served, entry.announced] : [entry.served])),
    ),
    rising: others.flatMap((entry) =>
      isServed(entry) || entry.announced === undefined
        ? []
        : [{ height: entry.announced, ageMs: Math.max(0, now - entry.since) }],
    ),
    hasReaders: others.some(({ readAt }) => now - readAt <= HEIGHT_LEASE_MS + HEIGHT_SLACK_MS),
  };
}

function findHighest(heights: readonly (number | undefined)[]): number | undefined {
  const known = heights.flatMap((height) => height ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}
