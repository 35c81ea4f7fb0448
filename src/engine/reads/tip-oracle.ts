import type { StoredHeader } from '../../store/chain-reader.ts';
import type { TipReader } from './block-tips.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';

/** geth's defaults for a full node (`ethconfig.FullNodeGPO`, `miner.DefaultConfig`); prices in wei per gas. */
const CHECKED_BLOCKS = 20n;
/** Samples, and blocks that are still to give some, up to which a block with one sample makes a further block count. */
const MAX_SAMPLED = 40;
const PERCENTILE = 60;
const MAX_TIP = 500_000_000_000n;
/** What stands for a block without samples: geth's before its first suggestion. */
const DEFAULT_TIP = 1_000_000n;

/**
 * Suggests a priority fee as geth does: the 60th percentile of the lowest tips in the last 20 blocks, and in up to 20 more where blocks have less
 * than two samples. How many more depends on the order of the blocks. geth reads them concurrently, so that its suggestion may differ from one start to
 * the next; the order here is the one in which Go's scheduler runs what geth starts, on one processor: the last of the 20 first, a further block at once.
 *
 * The suggestion depends on the head alone, so that all processes and restarts suggest the same. In the place of a block without samples geth takes its last
 * suggestion, which is the default in a geth that has just been started.
 */
export class TipOracle {
  readonly #blocks: StoredBlocks;
  readonly #tips: TipReader;
  /** The suggestion for the head that was asked about last. */
  #last: { readonly hash: string; readonly tip: bigint } | undefined;

  constructor(blocks: StoredBlocks, tips: TipReader) {
    this.#blocks = blocks;
    this.#tips = tips;
  }

  /** The suggestion at a head that has been asked about, wei per gas. */
  findKnown({ hashText }: StoredHeader): bigint | undefined {
    return this.#last?.hash === hashText ? this.#last.tip : undefined;
  }

  /** Wei per gas. Pauses between blocks. */
  *suggest({ header, hashText }: StoredHeader): Generator<undefined, bigint> {
    const samples: bigint[] = [];
    const oldest = header.number > CHECKED_BLOCKS ? header.number - CHECKED_BLOCKS + 1n : 1n;
    const waiting: bigint[] = [];
    for (let number = oldest + 1n; number <= header.number; number++) waiting.push(number);
    if (header.number > 0n) waiting.push(oldest);
    let further = oldest - 1n;
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
      const stored = requirePart(this.#blocks.reader.getHeader(number));
      const { samples: found } = yield* this.#tips.read(stored.header);
      const used = found.length === 0 ? [DEFAULT_TIP] : found;
      if (used.length === 1 && samples.length + 1 + waiting.length < MAX_SAMPLED && further > 0n) {
        waiting.push(further--);
      }
      samples.push(...used);
      yield;
    }
    samples.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const at = Math.floor(((samples.length - 1) * PERCENTILE) / 100);
    const price = samples[at] ?? DEFAULT_TIP;
    const tip = price > MAX_TIP ? MAX_TIP : price;
    this.#last = { hash: hashText, tip };
    return tip;
  }
}
