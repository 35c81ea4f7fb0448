import { bytesToBigInt } from '../../packages/ethereum/primitives/bytes.ts';
import { blobBaseFeeOf } from '../../packages/evm/transition/block-environment.ts';
import { parseGenesis } from '../../packages/evm/transition/genesis.ts';
import { rulesAt } from '../../packages/evm/transition/rules.ts';
import type { L1Facts } from '../contracts/op-stack/attributes.ts';
import { labelAddress } from './accounts.ts';
import type { DevelopmentChain } from './development-chain.ts';

/** Block time of the OP-Stack-like rollup. */
export const BLOCK_SECONDS = 2n;

/** Blocks of layer 1 after the one that the rollup's genesis is made from. */
const ORIGINS_TO_COME = 4;
/** Scalars of the size of OP Mainnet's, millionths. */
const SCALARS = { baseFeeScalar: 5_227n, blobBaseFeeScalar: 1_014_213n } as const;
/** Scalar in millionths of a wei per gas, constant in wei. */
const OPERATOR_FEE = { operatorFeeScalar: 2_000_000n, operatorFeeConstant: 1_000n } as const;

/** Layer 1 as the OP-Stack-like rollup sees it: the origin at a time is the last block not later than it. */
export class Origins {
  readonly #config;
  readonly #blocks;

  constructor({ genesis, blocks }: DevelopmentChain) {
    this.#config = parseGenesis(genesis).config;
    this.#blocks = blocks.slice(-1 - ORIGINS_TO_COME);
  }

  /** Time of the first origin. */
  get start(): bigint {
    return this.#blocks[0]?.block.header.timestamp as bigint;
  }

  /**
   * Returns the layer 1 values of the rollup block at this time.
   * @throws RangeError before the first origin
   */
  factsAt(time: bigint): L1Facts {
    const origin = this.#blocks.findLast(({ block }) => block.header.timestamp <= time);
    if (origin === undefined) throw new RangeError('before the first block of layer 1');
    const { header } = origin.block;
    const { number, timestamp, baseFeePerGas = 0n } = header;
    return {
      number,
      timestamp,
      basefee: baseFeePerGas,
      blobBaseFee: blobBaseFeeOf(header, rulesAt(this.#config, { number, timestamp, isMerged: true })),
      hash: bytesToBigInt(origin.hash),
      sequenceNumber: (time - timestamp) / BLOCK_SECONDS,
      batcherHash: bytesToBigInt(labelAddress('batcher')),
      ...SCALARS,
      ...OPERATOR_FEE,
    };
  }
}
