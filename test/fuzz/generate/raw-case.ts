/** Meaningless cases: arbitrary bytes as code, input and numbers. */

import { EMPTY_BYTES } from '../../../packages/ethereum/primitives/bytes.ts';
import { REVISIONS, type Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import { type AddressText, CHAIN_ID, type FuzzAccount, type FuzzCase } from '../fuzz-case.ts';
import { Random } from '../random.ts';
import { addressBytes, addressText, BENEFICIARY, SENDER } from './accounts.ts';
import { opcodesOf } from './opcodes.ts';
import { randomSlot, randomSlotValue, randomWord } from './words.ts';

const CONTRACTS = [0x1001n, 0x1002n];
const MAX_UINT64 = 2n ** 64n - 1n;

/** Random bytes, some of them instructions of the revision preceded by small constants. */
export function randomCodeBytes(random: Random, revision: Revision, maxLength: number): Uint8Array {
  const length = random.oneIn(30) ? random.below(maxLength) : random.below(Math.min(maxLength, 300));
  if (random.oneIn(4)) return random.bytes(length);
  const opcodes = opcodesOf(revision);
  const code: number[] = [];
  while (code.length < length) {
    const kind = random.below(8);
    if (kind < 3) code.push(0x60, random.oneIn(2) ? random.below(64) : random.below(256));
    else if (kind === 3) code.push(0x61, random.below(256), random.below(256));
    else if (kind === 4) code.push(0x5b);
    else if (kind === 5) code.push(random.below(256));
    else code.push(random.pick(opcodes).opcode);
  }
  return Uint8Array.from(code);
}

export type RawLimits = {
  readonly maxGas: number;
  readonly maxCodeLength: number;
  /** Allows codes that begin with 0xef, which no chain has since London but overrides may set. */
  readonly allowsObjects: boolean;
};

/** Generates case number `index` of a seed. */
export function generateRawCase(seed: number, index: number, limits: RawLimits, only?: Revision): FuzzCase {
  const revision = only ?? (REVISIONS[index % REVISIONS.length] as Revision);
  const random = new Random(seed, index, -1);
  const randomQuantity = (): bigint => randomWord(random) & MAX_UINT64;
  const accounts = new Map<AddressText, FuzzAccount>();
  accounts.set(addressText(SENDER), {
    nonce: 1n,
    balance: 2n ** 200n,
    code: EMPTY_BYTES,
    storage: new Map(),
  });
  for (const contract of CONTRACTS) {
    const code = randomCodeBytes(random, revision, limits.maxCodeLength);
    if (!limits.allowsObjects && code[0] === 0xef) code[0] = 0xfe;
    const storage = new Map<bigint, bigint>();
    const value = randomSlotValue(random);
    if (value !== 0n) storage.set(randomSlot(random), value);
    accounts.set(addressText(contract), { nonce: 1n, balance: randomQuantity(), code, storage });
  }
  return {
    revision,
    level: 'message',
    accounts,
    block: {
      number: randomQuantity() % 2n ** 53n,
      timestamp: randomQuantity(),
      beneficiary: addressText(BENEFICIARY),
      gasLimit: randomQuantity(),
      difficulty: randomQuantity(),
      prevRandao: randomWord(random),
      baseFeePerGas: isAtLeast(revision, 'london') ? randomQuantity() : undefined,
      blobBaseFee: randomQuantity(),
    },
    sender: addressText(SENDER),
    transaction: {
      type: 0,
      chainId: CHAIN_ID,
      nonce: 1n,
      gasLimit: BigInt(random.below(limits.maxGas)),
      maxFeePerGas: randomQuantity(),
      maxPriorityFeePerGas: 0n,
      to: random.oneIn(8) ? undefined : addressBytes(random.pick(CONTRACTS)),
      value: random.oneIn(3) ? randomQuantity() : 0n,
      data: randomCodeBytes(random, revision, 2000),
      accessList: [],
      maxFeePerBlobGas: 0n,
      blobVersionedHashes: [],
      authorizationList: [],
    },
  };
}
