import {
  CORE_LIMITS,
  CORE_REGIONS,
  EXCHANGE_FIELDS,
  OPCODE_FACT,
  RULE_NUMBERS,
  startOf,
} from '../../packages/evm/interpreter/core-interface.ts';
import type { GuardRegion } from './engine.ts';

const KiB = 1 << 10;
const GUARD_BYTES = 256;

const endingAt = (end: number): GuardRegion => ({ offset: end - GUARD_BYTES, length: GUARD_BYTES });
const startingAt = (offset: number): GuardRegion => ({ offset, length: GUARD_BYTES });

const endOf = (region: string): number => CORE_REGIONS.get(region)?.end ?? 0;
const { blobHashes, blockHashes, ruleNumbers } = EXCHANGE_FIELDS;
const MAX_FRAMES = CORE_LIMITS.maxDepth + 1;
const MAX_ACCOUNTS = CORE_LIMITS.accountIndexSize / 2;

/** Unused parts of the core's memory: pieces of the gaps between its regions, next to written areas. */
export function guardRegions(memoryLimit: number): GuardRegion[] {
  return [
    startingAt(512),
    endingAt(startOf('exchange')),
    startingAt(ruleNumbers + 8 * RULE_NUMBERS.length),
    startingAt(blockHashes + 256 * 40),
    endingAt(blobHashes),
    startingAt(blobHashes + 32 * CORE_LIMITS.maxBlobHashes),
    endingAt(startOf('frames')),
    startingAt(startOf('frames') + MAX_FRAMES * CORE_LIMITS.frameSize),
    endingAt(startOf('opcodes')),
    startingAt(startOf('opcodes') + 256 * OPCODE_FACT.size),
    endingAt(startOf('pairHashes')),
    startingAt(endOf('pairHashes')),
    endingAt(startOf('accountIndex')),
    startingAt(endOf('codeIndex')),
    endingAt(startOf('accounts')),
    startingAt(startOf('accounts') + MAX_ACCOUNTS * 168),
    endingAt(startOf('slots')),
    startingAt(startOf('stacks') + (MAX_FRAMES + 1) * 32 * KiB),
    endingAt(endOf('stacks')),
    startingAt(startOf('dirty') + 4 * MAX_ACCOUNTS),
    endingAt(startOf('touched')),
    startingAt(startOf('touched') + 4 * MAX_ACCOUNTS),
    endingAt(startOf('returnData')),
    startingAt(startOf('arena') + memoryLimit + 128),
  ];
}
