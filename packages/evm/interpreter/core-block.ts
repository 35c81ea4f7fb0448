import { CORE_LIMITS, EXCHANGE_FIELDS, EXCHANGE_WORDS as WORDS } from './core-interface.ts';
import type { CoreMemory } from './core-memory.ts';
import type { BlockEnvironment } from './message.ts';

/**
 * Writes the block and chain values that EVM code can read.
 * @param hasPrevRandao whether prevRandao replaces the difficulty (EIP-4399)
 */
export function writeBlock(
  memory: CoreMemory,
  block: BlockEnvironment,
  chainId: bigint,
  hasPrevRandao: boolean,
): void {
  memory.writeInteger(WORDS.blockNumber, block.number);
  memory.writeInteger(WORDS.blockTimestamp, block.timestamp);
  memory.writeWord(WORDS.blockBeneficiary, block.beneficiary);
  memory.writeInteger(WORDS.blockGasLimit, block.gasLimit);
  if (hasPrevRandao) memory.writeWord(WORDS.blockRandom, block.prevRandao);
  else memory.writeInteger(WORDS.blockRandom, block.difficulty);
  memory.writeInteger(WORDS.blockBaseFee, block.baseFeePerGas ?? 0n);
  memory.writeInteger(WORDS.blockBlobBaseFee, block.blobBaseFee);
  memory.writeInteger(WORDS.blockSlot, block.slotNumber ?? 0n);
  memory.writeInteger(WORDS.chainId, chainId);
}

/** Writes the transaction's blob hashes, at most `maxBlobHashes`. */
export function writeBlobHashes(memory: CoreMemory, hashes: readonly Uint8Array[]): void {
  const count = Math.min(hashes.length, CORE_LIMITS.maxBlobHashes);
  memory.view.setUint32(EXCHANGE_FIELDS.blobCount, count, true);
  for (let i = 0; i < count; i++)
    memory.bytes.set(hashes[i] as Uint8Array, EXCHANGE_FIELDS.blobHashes + 32 * i);
}
