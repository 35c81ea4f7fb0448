/** Statements for Amsterdam's changes: state gas, transfers, new accounts, instructions with immediates. */

import { OPCODES } from '../../../scripts/opcodes.ts';
import type { Random } from '../random.ts';
import { emitAddress } from './expressions.ts';
import { BURNER, CREATOR, DESTROYER, PAYER, STORER } from './helpers.ts';
import type { ProgramContext } from './program-context.ts';

const NEW_ACCOUNTS = 0xf4e5n << 144n;
const FRESH_SLOTS = 0x5107_0000n;
const INPUT = 0x300n;
const REACHING = ['DUPN', 'SWAPN', 'EXCHANGE'] as const;

/** An address that mostly has no account; few enough that addresses repeat. */
export function newAddress(random: Random): bigint {
  return NEW_ACCOUNTS + BigInt(random.below(24));
}

const freshSlot = (random: Random): bigint => FRESH_SLOTS + BigInt(random.below(6));

/** Logs the result of GAS, which shows a charge from the wrong pool. */
function logGas({ builder }: ProgramContext): void {
  builder.ops('GAS PUSH0 MSTORE');
  builder.push(32n);
  builder.ops('PUSH0 LOG0');
}

function store({ builder }: ProgramContext, slot: bigint, value: bigint): void {
  builder.push(value);
  builder.push(slot);
  builder.op('SSTORE');
}

function writeInput({ builder }: ProgramContext, ...words: readonly bigint[]): void {
  for (const [index, word] of words.entries()) {
    builder.push(word);
    builder.push(INPUT + BigInt(32 * index));
    builder.op('MSTORE');
  }
}

const randomEnding = (random: Random): bigint => random.pick([0n, 0n, 1n, 2n]);

/** Calls a helper with the written input, and drops the result or stores it in a slot. */
function callHelper(
  context: ProgramContext,
  name: 'CALL' | 'DELEGATECALL' | 'CALLCODE' | 'STATICCALL',
  address: bigint,
  value: bigint,
  inputLength: bigint,
): void {
  const { random, builder } = context;
  builder.ops('PUSH0 PUSH0');
  builder.push(inputLength);
  builder.push(INPUT);
  if (name === 'CALL' || name === 'CALLCODE') builder.push(value);
  builder.push(address, 20);
  if (random.oneIn(3))
    builder.push(random.pick([0n, 2300n, 5000n, 12_500n, 40_000n, 110_000n, 190_000n, 300_000n]));
  else builder.op('GAS');
  builder.op(name);
  if (random.oneIn(3)) {
    builder.push(freshSlot(random));
    builder.op('SSTORE');
  } else builder.op('POP');
  if (random.oneIn(2)) logGas(context);
}

/** Stores up to four values from 0 to 2 into one slot, in one frame. */
function storeInTurns(context: ProgramContext): void {
  const { random } = context;
  const slot = freshSlot(random);
  for (let i = random.between(1, 4); i > 0; i--) store(context, slot, BigInt(random.below(3)));
  if (random.oneIn(2)) logGas(context);
}

/** Stores values from 0 to 2 into one slot, in several frames of which some fail. */
function storeInFrames(context: ProgramContext): void {
  const { random } = context;
  const slot = freshSlot(random);
  if (random.oneIn(2)) store(context, slot, BigInt(random.below(3)));
  for (let i = random.between(1, 3); i > 0; i--) {
    writeInput(context, slot, BigInt(random.below(3)), randomEnding(random));
    const name = random.pickWeighted([
      [6, 'DELEGATECALL'],
      [2, 'CALL'],
      [1, 'CALLCODE'],
      [1, 'STATICCALL'],
    ] as const);
    callHelper(context, name, STORER, 0n, 0x60n);
  }
}

function payDirectly(context: ProgramContext): void {
  const { random, builder } = context;
  builder.ops('PUSH0 PUSH0 PUSH0 PUSH0');
  builder.push(BigInt(random.pick([0, 1, 1, 7])));
  if (random.oneIn(2)) builder.push(newAddress(random), 20);
  else emitAddress(context);
  builder.push(random.pick([0n, 0n, 1n, 2300n, 10_000n, 200_000n, 2n ** 64n]));
  builder.op(
    random.pickWeighted([
      [6, 'CALL'],
      [1, 'CALLCODE'],
    ]),
  );
  builder.op('POP');
  if (random.oneIn(2)) logGas(context);
}

function payInFrame(context: ProgramContext): void {
  const { random } = context;
  const to = random.oneIn(2) ? newAddress(random) : random.pick(context.addresses);
  writeInput(context, to, BigInt(random.below(3)), randomEnding(random));
  const name = random.pick(['CALL', 'CALL', 'DELEGATECALL', 'STATICCALL'] as const);
  callHelper(context, name, PAYER, BigInt(random.below(4)), 0x60n);
}

function destroy(context: ProgramContext): void {
  const { random } = context;
  const heir = random.pick([
    newAddress(random),
    newAddress(random),
    DESTROYER,
    random.pick(context.addresses),
  ]);
  writeInput(context, heir);
  const name = random.pick(['CALL', 'CALL', 'CALL', 'DELEGATECALL', 'STATICCALL'] as const);
  callHelper(context, name, DESTROYER, BigInt(random.below(3)), 0x20n);
}

/** Init codes of at most 32 bytes. */
const INIT_CODES: readonly bigint[] = [
  0n,
  // Return 0, 1, 32, 33 and 300 zero bytes.
  0x5f5ff3n,
  0x60015ff3n,
  0x60205ff3n,
  0x60215ff3n,
  0x61012c5ff3n,
  // Revert; halt; self-destruct in favour of itself, of the caller and of a new account.
  0x5f5ffdn,
  0xfen,
  0x30ffn,
  0x33ffn,
  0x73f4e500000000000000000000000000000000ffffffn,
  // Store and return a byte; store and revert; store twice.
  0x60015f5560015ff3n,
  0x60015f555f5ffdn,
  0x60015f555f5f555f5ff3n,
  // Deploy code that begins with 0xef.
  0x60ef5f5360015ff3n,
  // Deploy more than 24,576 and more than 65,536 bytes.
  0x6160015ff3n,
  0x620100015ff3n,
  // Send 1 to a new account, out of the endowment.
  0x5f5f5f5f600173f4e500000000000000000000000000000000ffff5af1n,
];

function create(context: ProgramContext): void {
  const { random, builder } = context;
  const code = random.pick(INIT_CODES);
  const length = BigInt(Math.ceil(code.toString(16).length / 2));
  const value = BigInt(random.pick([0, 0, 1, 2]));
  if (random.oneIn(3)) {
    writeInput(context, value, randomEnding(random), code << (8n * (32n - length)));
    callHelper(context, random.oneIn(3) ? 'DELEGATECALL' : 'CALL', CREATOR, value, 0x40n + length);
    return;
  }
  writeInput(context, code << (8n * (32n - length)));
  const isSalted = random.oneIn(2);
  if (isSalted) builder.push(BigInt(random.below(2)));
  builder.push(random.oneIn(60) ? 131_073n : length);
  builder.push(INPUT);
  builder.push(value);
  builder.op(isSalted ? 'CREATE2' : 'CREATE');
  builder.op('POP');
  if (random.oneIn(2)) logGas(context);
}

function burn(context: ProgramContext): void {
  const { random, builder } = context;
  builder.ops('PUSH0 PUSH0 PUSH0 PUSH0');
  builder.push(BigInt(random.below(2)));
  builder.push(BURNER, 20);
  builder.push(BigInt(random.pick([0, 100, 3000])));
  builder.ops('CALL POP');
}

/** Builds a deep stack and instructions that reach into it, with immediates at every edge, some of them invalid. */
function reachDeep(context: ProgramContext): void {
  const { random, builder } = context;
  const before = builder.height;
  const depth = random.between(18, 60);
  for (let i = 0; i < depth; i++) builder.op(random.pick(['PC', 'GAS', 'PC', 'PUSH0']));
  for (let i = random.between(1, 5); i > 0; i--) emitReach(context, depth);
  while (builder.height > before + 1) builder.op(random.pick(['ADD', 'XOR', 'SUB']));
  builder.op('PUSH0');
  builder.op('MSTORE');
}

/** Picks an immediate of EXCHANGE whose two items are on a stack of `depth`. */
function randomExchange(random: Random, depth: number): number {
  for (;;) {
    const immediate = random.pick([random.below(82), random.between(128, 255)]);
    const [q, r] = [(immediate ^ 143) >> 4, (immediate ^ 143) & 15];
    if (Math.max(...(q < r ? [q + 1, r + 1] : [r + 1, 29 - q])) < depth) return immediate;
  }
}

function emitReach({ random, builder }: ProgramContext, depth: number): void {
  const name = random.pick(REACHING);
  let immediate: number;
  if (random.oneIn(40)) immediate = random.below(256);
  else if (name === 'EXCHANGE') immediate = randomExchange(random, depth);
  else immediate = (random.between(17, depth - 2) + 256 - 145) % 256;
  builder.op(name);
  builder.raw(immediate);
}

/** Jumps to a destination that looks like part of an immediate (EIP-8024: immediates are not skipped). */
function jumpIntoImmediate({ builder, random }: ProgramContext): void {
  const end = builder.createLabel();
  builder.pushLabel(end);
  builder.op('JUMP');
  builder.raw(OPCODES.get(random.pick(REACHING)) as number);
  builder.place(end);
}

export function emitAmsterdamDeed(context: ProgramContext): void {
  const emit = context.random.pickWeighted([
    [4, storeInTurns],
    [6, storeInFrames],
    [4, payDirectly],
    [4, payInFrame],
    [3, destroy],
    [5, create],
    [1, burn],
    [2, reachDeep],
    [1, jumpIntoImmediate],
  ]);
  emit(context);
}
