import type { BlockLog } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonText } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { MAX_RECORD_BYTES, type RecordTable, RecordTableError } from '../records/record-table.ts';
import { Backoff } from '../util/backoff.ts';
import { type Clock, systemClock } from '../util/clock.ts';
import type { FeedBlock } from './feed.ts';

/** How long a block that left the chain can be found, and how many of a chain: the newest. */
const LIFE_MS = 60 * 60_000;
const MAX_RECORDS = 1_024;
/** Attempts at a record that the table does not take now, and pauses between them: together most of a minute. */
const MAX_ATTEMPTS = 16;
const PAUSE = { firstMs: 50, maxMs: 5_000 };

/** Stands for what a table has that cannot be read now. */
const UNREADABLE: unique symbol = Symbol('unreadable');

/** What is known of a block that left the chain; its logs where a process had read them, and they fit. */
export type RemovedBlock = { readonly header: JsonText; readonly logs?: readonly BlockLog[] };

/**
 * Blocks that left the chain while some process followed it, for those that did not: one that has just started, or follows other nodes.
 * What the table does not have is asked of the nodes. Where it cannot be read, a block that no node has is not known to be gone.
 */
export class RemovedRecords {
  readonly #records: RecordTable;
  readonly #readChainId: () => bigint;
  readonly #clock: Clock;

  /** @param readChainId throws as long as it is not known: nothing is read or kept then */
  constructor(records: RecordTable, readChainId: () => bigint, clock: Clock = systemClock) {
    this.#records = records;
    this.#readChainId = readChainId;
    this.#clock = clock;
  }

  /**
   * What `take` finds in the record of a block, or else what `ask` answers; null where neither has it.
   * @throws ChainError `unavailable` where `ask` has nothing and the table cannot be read; what `take` and `ask` throw
   */
  async find<T>(
    hash: string,
    take: (block: RemovedBlock) => T | undefined,
    ask: () => PromiseOrValue<T | null>,
  ): Promise<T | null> {
    const block = await this.#read(hash);
    const taken = block === undefined || block === UNREADABLE ? undefined : take(block);
    if (taken !== undefined) return taken;
    const asked = await ask();
    if (asked === null && block === UNREADABLE)
      throw new ChainError('unavailable', 'blocks that left the chain cannot be read now');
    return asked;
  }

  /**
   * Writes a block, again and again while the table does not take it, for a minute at most. Never rejects.
   * @param logs all of the block, where they are at hand
   */
  async keep(block: FeedBlock, logs: readonly BlockLog[] | undefined): Promise<void> {
    const backoff = new Backoff(PAUSE);
    for (let attempt = 1; !(await this.#write(block, logs)) && attempt < MAX_ATTEMPTS; attempt++)
      await new Promise<void>((resolve) => this.#clock.schedule(resolve, backoff.next()));
  }

  /** @returns false where the table cannot be reached now */
  async #write({ hash, header }: FeedBlock, logs: readonly BlockLog[] | undefined): Promise<boolean> {
    try {
      const name = this.#name(hash);
      const full = logs === undefined ? undefined : encode({ header, logs });
      // Another process may have written its logs.
      if (full === undefined && (await this.#records.read(name)) !== undefined) return true;
      const text = full ?? encode({ header });
      if (text !== undefined) await this.#records.create(name, text, LIFE_MS, MAX_RECORDS, 'removeOldest');
      return true;
    } catch (error) {
      // A table that was closed takes nothing more; the nodes may have the block.
      return !(error instanceof RecordTableError);
    }
  }

  async #read(hash: string): Promise<RemovedBlock | typeof UNREADABLE | undefined> {
    try {
      const stored = await this.#records.read(this.#name(hash));
      return stored === undefined ? undefined : (JSON.parse(stored.text) as RemovedBlock);
    } catch (error) {
      return error instanceof RecordTableError ? UNREADABLE : undefined;
    }
  }

  #name(hash: string): string {
    return `removed/${this.#readChainId()}/${hash}`;
  }
}

/** @returns undefined where it is no record for its length */
function encode(block: RemovedBlock): JsonText | undefined {
  const text = JSON.stringify(block);
  return Buffer.byteLength(text) > MAX_RECORD_BYTES ? undefined : text;
}
