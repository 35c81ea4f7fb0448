/** Expressions: each puts exactly one word on the stack. */
import { isAtLeast } from '../../support/is-at-least.ts';
import { selectOpcodes } from './opcodes.ts';
import type { ProgramContext } from './program-context.ts';
import { randomEdge, randomLength, randomOffset, randomSlot, randomWord } from './words.ts';

const ADDRESS_OPS = ['ADDRESS', 'CALLER', 'ORIGIN', 'COINBASE'];
const ENVIRONMENT_NAMES = new Set(
  (
    'ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE COINBASE TIMESTAMP NUMBER ' +
    'PREVRANDAO GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBBASEFEE PC MSIZE GAS SLOTNUM'
  ).split(' '),
);
const ARITHMETIC_NAMES = new Set(
  (
    'ADD MUL SUB DIV SDIV MOD SMOD EXP SIGNEXTEND LT GT SLT SGT EQ AND OR XOR BYTE SHL SHR SAR ' +
    'ADDMOD MULMOD ISZERO NOT CLZ'
  ).split(' '),
);
const environmentOpcodes = selectOpcodes(({ name }) => ENVIRONMENT_NAMES.has(name));
const arithmeticOpcodes = selectOpcodes(({ name }) => ARITHMETIC_NAMES.has(name));

function pushConstant({ random, builder }: ProgramContext): void {
  builder.push(randomWord(random), random.oneIn(20) ? random.between(1, 32) : 0);
}

/** Emits an account's address; sometimes the upper bytes are nonzero and must be ignored. */
export function emitAddress({ random, builder, addresses }: ProgramContext): void {
  if (random.oneIn(6)) {
    builder.op(random.pick(ADDRESS_OPS));
    return;
  }
  if (random.oneIn(12) && builder.height > builder.floor) {
    builder.op(`DUP${random.between(1, Math.min(16, builder.height))}`);
    return;
  }
  const address = random.pick(addresses);
  builder.push(random.oneIn(30) ? address | ((randomWord(random) << 160n) % 2n ** 256n) : address, 20);
}

function emitArithmetic(context: ProgramContext, depth: number): void {
  const { random, builder, revision } = context;
  const { name, inputs } = random.pick(arithmeticOpcodes(revision));
  const isAtEdge = random.oneIn(4);
  for (let i = 0; i < inputs; i++) {
    if (isAtEdge) {
      builder.push(randomEdge(random));
      continue;
    }
    // The top of the stack is the shift amount of SHL and the index of BYTE and SIGNEXTEND.
    const isIndex = i === inputs - 1 && /^(SHL|SHR|SAR|BYTE|SIGNEXTEND)$/.test(name) && random.oneIn(2);
    if (isIndex) builder.push(BigInt(random.below(name.startsWith('S') && name !== 'SIGNEXTEND' ? 260 : 34)));
    else emitWord(context, depth - 1);
  }
  builder.op(name);
}

function emitEnvironment({ random, builder, revision }: ProgramContext): void {
  builder.op(random.pick(environmentOpcodes(revision)).name);
}

/** Reads of memory, call data, storage, accounts and blocks. */
function emitRead(context: ProgramContext): void {
  const { random, builder, revision } = context;
  const read = random.pickWeighted([
    [6, 'MLOAD'],
    [4, 'CALLDATALOAD'],
    [6, 'SLOAD'],
    [2, 'BALANCE'],
    [2, 'EXTCODESIZE'],
    [2, 'SHA3'],
    [1, 'BLOCKHASH'],
    [isAtLeast(revision, 'constantinople') ? 2 : 0, 'EXTCODEHASH'],
    [isAtLeast(revision, 'cancun') ? 8 : 0, 'TLOAD'],
    [isAtLeast(revision, 'cancun') ? 1 : 0, 'BLOBHASH'],
  ]);
  if (read === 'MLOAD' || read === 'CALLDATALOAD') builder.push(randomOffset(random));
  else if (read === 'SLOAD' || read === 'TLOAD') builder.push(randomSlot(random));
  else if (read === 'SHA3') {
    builder.push(randomLength(random));
    builder.push(randomOffset(random));
  } else if (read === 'BLOCKHASH') {
    builder.op('NUMBER');
    builder.push(random.oneIn(4) ? randomWord(random) : BigInt(random.pick([0, 1, 2, 255, 256, 257])));
    builder.ops('SWAP1 SUB');
  } else if (read === 'BLOBHASH')
    builder.push(random.oneIn(5) ? randomWord(random) : BigInt(random.below(4)));
  else emitAddress(context);
  builder.op(read);
}

/** Emits a word computed by a dozen operations, most of them on edge-case operands. */
export function emitCalculation(context: ProgramContext): void {
  const { random, builder, revision } = context;
  builder.push(randomWord(random));
  for (let i = random.between(4, 16); i > 0; i--) {
    const { name, inputs } = random.pick(arithmeticOpcodes(revision));
    for (let input = 0; input < inputs; input++) {
      builder.push(random.oneIn(2) ? randomEdge(random) : randomWord(random));
    }
    builder.op(name);
    builder.op(random.pick(['ADD', 'XOR', 'SUB']));
  }
}

/** Puts one word on the stack; `depth` limits the nesting of operands. */
export function emitWord(context: ProgramContext, depth: number): void {
  const { random, builder } = context;
  const kind = random.below(20);
  if (kind < 4 && builder.height > 0) builder.op(`DUP${random.between(1, Math.min(16, builder.height))}`);
  else if (kind < 9 && depth > 0) emitArithmetic(context, depth);
  else if (kind < 12 && depth > 0) emitRead(context);
  else if (kind < 14) emitEnvironment(context);
  else pushConstant(context);
}
