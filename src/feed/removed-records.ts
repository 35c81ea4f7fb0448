import type { BlockLog } from '../chain/chain.ts';
import type { JsonText } from '../primitives/json-result.ts';
import { MAX_RECORD_BYTES, type RecordTable } from '../records/record-table.ts';
import type { FeedBlock } from './feed.ts';

/** How long a block that left the chain can be found, and how many of a chain. */
const LIFE_MS = 60 * 60_000;
const MAX_RECORDS = 1_024;

/** What is known of a block that left the chain; its logs where a process had read them, and they fit. */
export type RemovedBlock = { readonly header: JsonText; readonly logs?: readonly BlockLog[] };

/**
 * Blocks that left the chain while some process followed it, for those that did not: one that has just started, or follows other nodes.
 * Best effort: what the table does not take or give is asked of the nodes.
 */
export class RemovedRecords {
  readonly #records: RecordTable;
  readonly #chainId: bigint;

  constructor(records: RecordTable, chainId: bigint) {
    this.#records = records;
    this.#chainId = chainId;
  }

  async find(hash: string): Promise<RemovedBlock | undefined> {
    try {
      const stored = await this.#records.read(this.#name(hash));
      return stored === undefined ? undefined : (JSON.parse(stored.text) as RemovedBlock);
    } catch {
      return undefined;
    }
  }

  /** @param logs all of the block, where they are at hand */
  async keep({ hash, header }: FeedBlock, logs: readonly BlockLog[] | undefined): Promise<void> {
    try {
      const name = this.#name(hash);
      const full = logs === undefined ? undefined : encode({ header, logs });
      // Another process may have written its logs.
      if (full === undefined && (await this.#records.read(name)) !== undefined) return;
      const text = full ?? encode({ header });
      if (text !== undefined) await this.#records.create(name, text, LIFE_MS, MAX_RECORDS);
    } catch {
      // The nodes may have it.
    }
  }

  #name(hash: string): string {
    return `removed/${this.#chainId}/${hash}`;
  }
}

/** @returns undefined where it is no record for its length */
function encode(block: RemovedBlock): JsonText | undefined {
  const text = JSON.stringify(block);
  return Buffer.byteLength(text) > MAX_RECORD_BYTES ? undefined : text;
}
