import { suggestTip } from '../../../chain/suggest-tip.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import type { TipReader } from './block-tips.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';

/** Suggests a priority fee by geth's rule, from the blocks of a store. @see suggestTip */
export class TipOracle {
  readonly #blocks: StoredBlocks;
  readonly #tips: TipReader;
  /** Head of the last request, with the suggested priority fee, wei per gas. */
  #last: { readonly hash: string; readonly tip: bigint } | undefined;

  constructor(blocks: StoredBlocks, tips: TipReader) {
    this.#blocks = blocks;
    this.#tips = tips;
  }

  /** Returns the cached suggestion for a head, wei per gas. */
  findKnown({ hashText }: StoredHeader): bigint | undefined {
    return this.#last?.hash === hashText ? this.#last.tip : undefined;
  }

  /** Computes the suggestion, wei per gas, with pauses between blocks. */
  *suggest({ header, hashText }: StoredHeader): Generator<undefined, bigint> {
    const suggestion = suggestTip(header.number);
    let step = suggestion.next();
    while (step.done !== true) {
      const stored = requirePart(this.#blocks.reader.getHeader(step.value));
      const { samples } = yield* this.#tips.read(stored.header);
      step = suggestion.next(samples);
      yield;
    }
    const tip = step.value;
    this.#last = { hash: hashText, tip };
    return tip;
  }
}
