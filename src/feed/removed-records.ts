import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { BlockLog } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import {
  MAX_RECORD_BYTES,
  type RecordTable,
  RecordTableError,
} from '../shared-store/records/record-table.ts';
import { Backoff } from '../util/backoff.ts';
import { type Clock, systemClock } from '../util/clock.ts';
import type { FeedBlock } from './feed.ts';

/** Lifetime of a removed block's record, ms, and the maximum number of records per chain. Further records replace the oldest. */
const LIFE_MS = 60 * 60_000;
const MAX_RECORDS = 1_024;
/**
 * Maximum number of attempts to write while the table is unavailable, and the backoff between attempts, ms. Sixteen attempts with their pauses take
 * most of a minute.
 */
const MAX_ATTEMPTS = 16;
const PAUSE = { firstMs: 50, maxMs: 5_000 };

/** Result of a failed read of the table. */
const UNREADABLE: unique symbol = Symbol('unreadable');

/** Removed block. The logs of the block are present if a process had read them and they fit into a record. */
export type RemovedBlock = { readonly header: JsonText; readonly logs?: readonly BlockLog[] };

/**
 * Shared records of blocks that left the chain. A process reads the records of other processes if it has just started or follows other nodes. Blocks
 * that are not in the table are requested from the nodes. A block that no node has counts as lost, but only if the table was readable.
 */
export class RemovedRecords {
  readonly #records: RecordTable;
  readonly #readChainId: () => bigint;
  readonly #clock: Clock;

  /** @param readChainId throws while the chain id is unknown; nothing is read or written then */
  constructor(records: RecordTable, readChainId: () => bigint, clock: Clock = systemClock) {
    this.#records = records;
    this.#readChainId = readChainId;
    this.#clock = clock;
  }

  /**
   * Returns the result of `take` for the record of a block. If there is no record, or `take` returns undefined, returns the result of `ask`.
   * @throws ChainError `unavailable` if `ask` returns null and the table is unreadable; the errors of `take` and `ask`
   */
  async find<T>(
    hash: string,
    take: (block: RemovedBlock) => T | undefined,
    ask: () => PromiseOrValue<T | null>,
  ): Promise<T | null> {
    const block = await this.#read(hash);
    const taken = block === undefined || block === UNREADABLE ? undefined : take(block);
    if (taken !== undefined) return taken;
    const requested = await ask();
    if (requested === null && block === UNREADABLE)
      throw new ChainError('unavailable', 'blocks that left the chain cannot be read now');
    return requested;
  }

  /**
   * Writes a block; retries for up to a minute while the table is unavailable. Never rejects.
   * @param logs all logs of the block, if they are available
   */
  async keep(block: FeedBlock, logs: readonly BlockLog[] | undefined): Promise<void> {
    const backoff = new Backoff(PAUSE);
    for (let attempt = 1; !(await this.#write(block, logs)) && attempt < MAX_ATTEMPTS; attempt++)
      await new Promise<void>((resolve) => this.#clock.schedule(resolve, backoff.next()));
  }

  /** @returns false if the table is unavailable */
  async #write({ hash, header }: FeedBlock, logs: readonly BlockLog[] | undefined): Promise<boolean> {
    try {
      const name = this.#name(hash);
      const full = logs === undefined ? undefined : encode({ header, logs });
      // Another process may have written a record with logs, and a record without logs must not replace it.
      if (full === undefined && (await this.#records.read(name)) !== undefined) return true;
      const text = full ?? encode({ header });
      if (text !== undefined) await this.#records.create(name, text, LIFE_MS, MAX_RECORDS, 'removeOldest');
      return true;
    } catch (error) {
      // Only a RecordTableError is retried. Further attempts on a closed table would fail too, and nodes may still have the block.
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

/** @returns undefined if the block exceeds the size of a record */
function encode(block: RemovedBlock): JsonText | undefined {
  const text = JSON.stringify(block);
  return Buffer.byteLength(text) > MAX_RECORD_BYTES ? undefined : text;
}
