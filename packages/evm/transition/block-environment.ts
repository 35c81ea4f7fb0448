import type { Header } from '../../ethereum/codecs/header.ts';
import { computeBlobGasPrice } from '../interpreter/fee-market.ts';
import type { BlockEnvironment } from '../interpreter/message.ts';
import type { BlockRules } from './rules.ts';

/** Returns the hash of an ancestor block. */
export type BlockHashLookup = (number: bigint) => Uint8Array;

/** Price of blob gas in a block, wei; 0 before Cancun. */
export function blobBaseFeeOf(header: Pick<Header, 'excessBlobGas'>, rules: BlockRules): bigint {
  if (header.excessBlobGas === undefined || rules.blobs === undefined) return 0n;
  return computeBlobGasPrice(header.excessBlobGas, rules.blobs.baseFeeUpdateFraction);
}

/** Returns the execution environment that a header defines for its transactions. */
export function environmentOf(
  header: Header,
  rules: BlockRules,
  getBlockHash: BlockHashLookup,
): BlockEnvironment {
  return {
    number: header.number,
    timestamp: header.timestamp,
    beneficiary: header.beneficiary,
    gasLimit: header.gasLimit,
    difficulty: header.difficulty,
    prevRandao: header.mixHash,
    baseFeePerGas: header.baseFeePerGas,
    blobBaseFee: blobBaseFeeOf(header, rules),
    slotNumber: header.slotNumber,
    getBlockHash,
  };
}
