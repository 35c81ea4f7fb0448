import type { Header } from '../../chain/header.ts';
import { readReceiptGas } from '../../chain/receipt-gas.ts';
import { chooseSamples, compareTips } from '../../chain/suggest-tip.ts';
import { decodeTransaction, effectiveTip } from '../../chain/transaction.ts';
import { bytesEqual } from '../../primitives/bytes.ts';
import { decodeRlp, readListSpans } from '../../primitives/rlp.ts';
import { Lru } from '../../util/lru.ts';
import type { StoredBlocks } from './stored-blocks.ts';

/** Transactions of all blocks that are kept, at about 50 bytes each; a block counts as one more. */
const MAX_KEPT = 100_000;
/** Transactions that are decoded between two pauses: about a third of a millisecond. */
const TRANSACTIONS_PER_STEP = 32;

/** What the transactions of a block paid its beneficiary. */
export type BlockTips = {
  /** Wei per gas, ascending. */
  readonly tips: readonly bigint[];
  /** At each position the gas of the transactions up to it, in the order of `tips`. */
  readonly gasUpTo: Float64Array;
  /** The lowest tips that tell what the beneficiary accepts from others. */
  readonly samples: readonly bigint[];
};

/** Of a block without transactions. */
export const NO_TIPS: BlockTips = { tips: [], gasUpTo: new Float64Array(0), samples: [] };

/** Tips by stored block, which never changes. */
export class TipReader {
  readonly #blocks: StoredBlocks;
  readonly #known = new Lru<bigint, BlockTips>(
    MAX_KEPT,
    Number.POSITIVE_INFINITY,
    undefined,
    ({ tips }) => 1 + tips.length,
  );

  constructor(blocks: StoredBlocks) {
    this.#blocks = blocks;
  }

  /** Pauses within a large block. */
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
