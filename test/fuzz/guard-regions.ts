import {
  ARENA,
  BLOB_HASHES,
  EXCHANGE_WORDS,
  MAX_BLOB_HASHES,
  OPCODE_FACTS,
} from '../../src/evm/core-layout.ts';
import type { GuardRegion } from './engine.ts';

const KiB = 1 << 10;
const MiB = 1 << 20;
const GUARD_BYTES = 256;

const endingAt = (end: number): GuardRegion => ({ offset: end - GUARD_BYTES, length: GUARD_BYTES });
const startingAt = (offset: number): GuardRegion => ({ offset, length: GUARD_BYTES });

const EXCHANGE = EXCHANGE_WORDS.blockNumber;
const FRAMES = EXCHANGE + 64 * KiB;
const PAIR_HASHES = OPCODE_FACTS + 64 * KiB;
const PAIR_HASH_COUNT = 2_048;
const ACCOUNTS = 20 * MiB;
const SLOTS = ACCOUNTS + 24 * MiB;
const CODES_END = SLOTS + (256 + 64) * MiB;
const STACKS_END = CODES_END + 34 * MiB;
const DIRTY = STACKS_END + (128 + 32) * MiB;
const TOUCHED = DIRTY + 4 * MiB;
const RETURN_DATA = TOUCHED + 4 * MiB;
const MAX_FRAMES = 1025;
const MAX_ACCOUNTS = 131_072;

/**
 * Where nothing ever lies in the core's memory (core/layout): pieces of the gaps between its regions, next to what is
 * written to.
 */
export function guardRegions(memoryLimit: number): GuardRegion[] {
  return [
    startingAt(512),
    endingAt(EXCHANGE),
    startingAt(EXCHANGE + 640),
    startingAt(EXCHANGE + KiB + 256 * 40),
    endingAt(BLOB_HASHES),
    startingAt(BLOB_HASHES + 32 * MAX_BLOB_HASHES),
    endingAt(FRAMES),
    startingAt(FRAMES + MAX_FRAMES * 256),
    endingAt(OPCODE_FACTS),
    startingAt(OPCODE_FACTS + 256 * 8),
    endingAt(PAIR_HASHES),
    startingAt(PAIR_HASHES + PAIR_HASH_COUNT * 96),
    endingAt(2 * MiB),
    startingAt(19 * MiB + 256 * KiB),
    endingAt(ACCOUNTS),
    startingAt(ACCOUNTS + MAX_ACCOUNTS * 168),
    endingAt(SLOTS),
    startingAt(CODES_END + (MAX_FRAMES + 1) * 32 * KiB),
    endingAt(STACKS_END),
    startingAt(DIRTY + 4 * MAX_ACCOUNTS),
    endingAt(TOUCHED),
    startingAt(TOUCHED + 4 * MAX_ACCOUNTS),
    endingAt(RETURN_DATA),
    startingAt(ARENA + memoryLimit + 128),
  ];
}
