import type { Header } from '../../../../packages/ethereum/codecs/header.ts';
import { readReceiptGas } from '../../../../packages/ethereum/codecs/receipt-gas.ts';
import { decodeTransaction, effectiveTip } from '../../../../packages/ethereum/codecs/transaction.ts';
import { bytesEqual } from '../../../../packages/ethereum/primitives/bytes.ts';
import { decodeRlp, readListSpans } from '../../../../packages/ethereum/primitives/rlp.ts';
import { chooseSamples, compareTips } from '../../../chain/suggest-tip.ts';
import { Lru } from '../../../util/lru.ts';
import type { StoredBlocks } from './stored-blocks.ts';

/** Cache limit: number of cached blocks plus number of their transactions, which take about 50 bytes each. */
const MAX_CACHED = 100_000;
/** Number of transactions that are decoded between two pauses. Decoding them takes about 0.33 ms. */
const TRANSACTIONS_PER_STEP = 32;

/** Priority fees that the transactions of a block paid to the beneficiary. */
export type BlockTips = {
  /** Tips in wei per gas, ascending. */
  readonly tips: readonly bigint[];
  /** Gas used by each transaction and all transactions before it, in the order of `tips`. */
  readonly gasUpTo: Float64Array;
  /** Lowest tips in the block, without transactions that the beneficiary sent itself (geth's samples for a suggestion). */
  readonly samples: readonly bigint[];
};

/** Empty lists of tips, for a block that contains no transactions. */
export const NO_TIPS: BlockTips = { tips: [], gasUpTo: new Float64Array(0), samples: [] };

/** Computes and caches the tips of stored blocks; a cached entry never becomes stale, because stored blocks never change. */
export class TipReader {
  readonly #blocks: StoredBlocks;
  readonly #known = new Lru<bigint, BlockTips>(
    MAX_CACHED,
    Number.POSITIVE_INFINITY,
    undefined,
    ({ tips }) => 1 + tips.length,
  );

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks;
  }

  /** Returns the tips of a block; pauses within a large block. */
  *read(header: Header): Generator<undefined, BlockTips> {
    const known = this.#known.get(header.number);
    if (known !== undefined) return known;
    const tips = yield* this.#compute(header);
    this.#known.set(header.number, tips);
    return tips;
  }

  *#compute(header: Header): Generator<undefined, BlockTips> {
    const { body, storedReceipts } = this.#blocks.getParts({ header });
    const [list] = readListSpans(body);
    const spans = list === undefined ? [] : readListSpans(body, list.at, list.end);
    if (spans.length === 0) return NO_TIPS;
    const receipts = readReceiptGas(storedReceipts);
    const entries: { tip: bigint; gasUsed: number; sender: Uint8Array }[] = [];
    for (const [i, { gasUsed, sender }] of receipts.entries()) {
      const { at, end } = spans[i] as (typeof spans)[number];
      const tx = decodeTransaction(decodeRlp(body.subarray(at, end)));
      entries.push({ tip: effectiveTip(tx, header.baseFeePerGas), gasUsed, sender });
      if (i % TRANSACTIONS_PER_STEP === TRANSACTIONS_PER_STEP - 1) yield;
    }
    entries.sort((a, b) => compareTips(a.tip, b.tip));
    let gas = 0;
    return {
      tips: entries.map(({ tip }) => tip),
      gasUpTo: Float64Array.from(entries, ({ gasUsed }) => (gas += gasUsed)),
      samples: chooseSamples(
        entries.filter(({ sender }) => !bytesEqual(sender, header.beneficiary)).map(({ tip }) => tip),
      ),
    };
  }
}
