import { REVISIONS, type Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import type { FuzzBlock, FuzzCase } from '../fuzz-case.ts';
import { Random } from '../random.ts';
import { addressText, BENEFICIARY, generateState, SENDER } from './accounts.ts';
import { generateRawCase, type RawLimits } from './raw-case.ts';
import { generateTransaction } from './transaction.ts';
import { randomWord } from './words.ts';

/** Incremented by every change of the generators that makes the same seed produce another program. */
export const GENERATOR_VERSION = 2;

function generateBlock(random: Random, revision: Revision): FuzzBlock {
  const number = random.pick([0n, 1n, 255n, 256n, 257n, 1_000_000n]);
  return {
    number,
    timestamp: BigInt(random.next()),
    beneficiary: addressText(BENEFICIARY),
    gasLimit: 30_000_000n,
    difficulty: isAtLeast(revision, 'paris') ? 0n : BigInt(random.next()),
    prevRandao: randomWord(random),
    baseFeePerGas: isAtLeast(revision, 'london') ? BigInt(random.pick([0, 7, 1_000_000_000])) : undefined,
    blobBaseFee: isAtLeast(revision, 'cancun') ? BigInt(random.pick([1, 2, 12_345])) : 0n,
  };
}

/** Limits of meaningless cases that the oracle can handle. */
const RAW_LIMITS: RawLimits = { maxGas: 200_000, maxCodeLength: 2000, allowsObjects: false };

/** Revisions for which single programs are compared; for Amsterdam whole blocks are. */
export const ORACLE_REVISIONS: readonly Revision[] = REVISIONS.filter((name) => name !== 'amsterdam');

/** Generates case number `index` of a seed; one in ten is meaningless. Without `only` the oracle's revisions alternate. */
export function generateCase(seed: number, index: number, only?: Revision): FuzzCase {
  const random = new Random(seed, index, GENERATOR_VERSION);
  const revision = only ?? (ORACLE_REVISIONS[index % ORACLE_REVISIONS.length] as Revision);
  if (random.oneIn(10)) return generateRawCase(seed, index, RAW_LIMITS, revision);
  const level = random.oneIn(2) ? 'message' : 'transaction';
  const block = generateBlock(random, revision);
  const state = generateState(random, revision);
  const transaction = generateTransaction(random, revision, block, state, level);
  return { revision, level, accounts: state.accounts, block, sender: addressText(SENDER), transaction };
}
