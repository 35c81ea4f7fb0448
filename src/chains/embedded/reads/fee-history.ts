import type { ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import type { Header } from '../../../../packages/ethereum/codecs/header.ts';
import { GAS_PER_BLOB } from '../../../../packages/ethereum/codecs/transaction.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import { blobBaseFeeOf } from '../../../../packages/evm/transition/block-environment.ts';
import { rulesAt } from '../../../../packages/evm/transition/rules.ts';
import { quantity } from '../../../chain/json-values.ts';
import { nextBaseFee, nextExcessBlobGas } from '../import/validate-header.ts';
import type { BlockTips } from './block-tips.ts';

/** A stored block or the pending block. */
export type FeeBlock = { readonly header: Header; readonly isMerged: boolean };

/** Fee history entries of one block: prices in wei per gas, ratios from 0 to 1. */
type BlockFees = {
  readonly baseFee: bigint;
  readonly nextBaseFee: bigint;
  readonly blobBaseFee: bigint;
  readonly nextBlobBaseFee: bigint;
  readonly gasUsedRatio: number;
  readonly blobGasUsedRatio: number;
};

/**
 * Builds the answer to `eth_feeHistory` block by block, oldest first. Absent prices are 0, as in geth: the base fee before London, the blob base fee
 * before Cancun. The prices after the newest block are computed from this block alone, with the blob schedule at its timestamp.
 */
export class FeeHistory {
  readonly #config: ChainConfig;
  readonly #rewards: string[] = [];
  readonly #baseFees: string[] = [];
  readonly #gasRatios: number[] = [];
  readonly #blobFees: string[] = [];
  readonly #blobRatios: number[] = [];
  #oldest: bigint | undefined;
  #next: readonly [base: string, blob: string] = ['', ''];

  constructor(config: ChainConfig) {
    this.#config = config;
  }

  /** Adds the next block. @param rewards tips at the requested percentiles; undefined when none are requested */
  add(block: FeeBlock, rewards: readonly bigint[] | undefined): void {
    const fees = computeBlockFees(this.#config, block);
    this.#oldest ??= block.header.number;
    this.#baseFees.push(quantity(fees.baseFee));
    this.#gasRatios.push(fees.gasUsedRatio);
    this.#blobFees.push(quantity(fees.blobBaseFee));
    this.#blobRatios.push(fees.blobGasUsedRatio);
    this.#next = [quantity(fees.nextBaseFee), quantity(fees.nextBlobBaseFee)];
    if (rewards !== undefined) this.#rewards.push(`[${rewards.map(quantity).join(',')}]`);
  }

  /** Yields the JSON text of the answer in parts. */
  *encode(): Generator<string> {
    const [base, blob] = this.#next;
    yield `{"oldestBlock":"${encodeQuantity(this.#oldest ?? 0n)}",`;
    if (this.#rewards.length > 0) {
      yield '"reward":[';
      for (const [i, row] of this.#rewards.entries()) yield i === 0 ? row : `,${row}`;
      yield '],';
    }
    yield `"baseFeePerGas":[${[...this.#baseFees, base].join(',')}],"gasUsedRatio":[${this.#gasRatios.join(',')}],`;
    yield `"baseFeePerBlobGas":[${[...this.#blobFees, blob].join(',')}],"blobGasUsedRatio":[${this.#blobRatios.join(',')}]}`;
  }
}

function computeBlockFees(config: ChainConfig, { header, isMerged }: FeeBlock): BlockFees {
  const { number, timestamp, gasLimit, gasUsed, baseFeePerGas = 0n, blobGasUsed = 0n } = header;
  const rules = rulesAt(config, { number, timestamp, isMerged });
  const nextRules = rulesAt(config, { number: number + 1n, timestamp, isMerged });
  const nextBlobs = { excessBlobGas: nextExcessBlobGas(header, rules) ?? 0n };
  const maxBlobGas = (rules.blobs?.max ?? 0n) * GAS_PER_BLOB;
  return {
    baseFee: baseFeePerGas,
    nextBaseFee: nextBaseFee(header, nextRules) ?? 0n,
    blobBaseFee: blobBaseFeeOf(header, rules),
    nextBlobBaseFee: header.excessBlobGas === undefined ? 0n : blobBaseFeeOf(nextBlobs, rules),
    gasUsedRatio: divide(gasUsed, gasLimit),
    blobGasUsedRatio: divide(blobGasUsed, maxBlobGas),
  };
}

function divide(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole);
}

/**
 * Returns one tip per percentile. In the order of tips, it is the tip of the transaction that reaches this percentage of the block's gas. Returns 0
 * if there are no transactions.
 */
export function findRewards(
  { tips, gasUpTo }: BlockTips,
  gasUsed: bigint,
  percentiles: readonly number[],
): readonly bigint[] {
  let at = 0;
  return percentiles.map((percentile) => {
    const wanted = Math.trunc((Number(gasUsed) * percentile) / 100);
    while ((gasUpTo[at] as number) < wanted && at < tips.length - 1) at++;
    return tips[at] ?? 0n;
  });
}
