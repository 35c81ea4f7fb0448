import type { StoredHeader } from '../../store/chain-reader.ts';
import type { TipReader } from './block-tips.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';

/** geth's defaults for a full node (`ethconfig.FullNodeGPO`, `miner.DefaultConfig`); prices in wei per gas. */
const CHECKED_BLOCKS = 20;
const PERCENTILE = 60;
const MAX_TIP = 500_000_000_000n;
/** What stands for a block without samples: geth's before its first suggestion. */
const DEFAULT_TIP = 1_000_000n;

/**
 * Suggests a priority fee as geth does: the 60th percentile of the lowest tips in the last 20 blocks, and in up to 20 more where blocks have less
 * than two samples. It depends on the head alone, so that all processes and restarts suggest the same; geth takes its last suggestion for a block
 * without samples, which is the default for a geth that has just been started.
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
    let number = header.number;
    for (let left = CHECKED_BLOCKS; left > 0 && number > 0n; left--, number--) {
      const stored = requirePart(this.#blocks.reader.getHeader(number));
      const found = (yield* this.#tips.read(stored.header)).samples;
      const used = found.length === 0 ? [DEFAULT_TIP] : found;
      // geth's condition: `left - 1` of its requests are still out.
      if (used.length === 1 && samples.length + left < CHECKED_BLOCKS * 2) left++;
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
