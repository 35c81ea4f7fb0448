import { crc32 } from 'node:zlib';
import type { ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import type { StoredHeader } from '../store/chain-reader.ts';

/**
 * Computes the fork identifier's hash at a time (EIP-2124, EIP-6122): the CRC-32 of the genesis hash and of all past forks, each fork as 64 bits. All
 * forks by block number count as past; a fork by time is past if its time is not after `time`.
 * @returns `0x` and 8 hex digits
 */
export function computeForkId(config: ChainConfig, genesis: StoredHeader, time: bigint): string {
  const heights = config.forkHeights.filter((height) => height > 0n);
  const times = new Set(config.timeForks.map((fork) => fork.time));
  const past = [...times].filter((at) => at > genesis.header.timestamp && at <= time);
  past.sort((a, b) => (a < b ? -1 : 1));
  const word = Buffer.alloc(8);
  let checksum = crc32(genesis.hash);
  for (const fork of [...heights, ...past]) {
    word.writeBigUInt64BE(fork);
    checksum = crc32(word, checksum);
  }
  return `0x${checksum.toString(16).padStart(8, '0')}`;
}
