/** Fused operations behave like their instructions one by one: a JUMPDEST between two instructions prevents fusion. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesToHex } from '../../../../../packages/ethereum/primitives/hex.ts';
import { SEQUENCES } from '../../../../../packages/evm/interpreter/core-generator/operations.ts';
import { MessageHarness } from '../message-harness.ts';
import { createOperandSource, type OperandSource } from './operands.ts';

const CASES = 24;
const SEED = 5n;
/** Covers the depth of DUP16 and SWAP16 plus the items that a sequence consumes. */
const STACK_WORDS = 22;
const SHOWN_WORDS = 18;
const MEMORY_BYTES = 2048;

const CONSTANTS = [
  0, 1, 2, 31, 32, 33, 64, 135, 136, 224, 255, 256, 257, 0xff, 0xffff, 0x10000, 0x7fffffff, 0xffffffff,
];
const FOLDED = ['SHL', 'SUB', 'ADD'];

const pick = <T>(source: OperandSource, list: readonly T[]): T => list[source.nextIndex(list.length)] as T;
const pushWord = (value: bigint): string => `PUSH32 ${value}`;

/** Returns words of which some are memory offsets and some repeat. */
function nextWord(source: OperandSource): bigint {
  switch (source.nextIndex(4)) {
    case 0:
      return BigInt(source.nextIndex(MEMORY_BYTES - 32));
    case 1:
      return BigInt(pick(source, CONSTANTS));
    default:
      return source.next();
  }
}

/** Expands an operation into its instructions; a jump leads to `taken`. */
function expand(operation: string, source: OperandSource): string[] {
  const depth = source.nextIndex(3) === 0 ? 1 : 1 + source.nextIndex(16);
  if (operation === 'PUSH_SMALL') return [`PUSH4 ${pick(source, CONSTANTS)}`];
  if (operation === 'PUSH_WORD') return [pushWord(source.next())];
  if (operation === 'DUP' || operation === 'SWAP') return [`${operation}${depth}`];
  if (operation === 'JUMP_TO') return ['@taken', 'JUMP'];
  if (operation === 'JUMP_IF') return ['@taken', 'JUMPI'];
  if (operation === 'JUMP_UNLESS') return ['ISZERO', '@taken', 'JUMPI'];
  const joined = SEQUENCES.filter(({ name }) => name === operation);
  if (joined.length === 0) return [operation === 'KECCAK256' ? 'SHA3' : operation];
  const { first, second } = pick(source, joined);
  return [...expand(first, source), ...expand(second, source)];
}

/** Source that returns memory, stack, and the branch that the program took. */
function show(way: number): string {
  const stores = Array.from({ length: SHOWN_WORDS }, (_, i) => `PUSH2 ${MEMORY_BYTES + 32 * i} MSTORE`);
  const end = MEMORY_BYTES + 32 * SHOWN_WORDS;
  return `${stores.join(' JUMPDEST ')} PUSH1 ${way} PUSH2 ${end} MSTORE PUSH2 ${end + 32} PUSH0 RETURN`;
}

function compare(harness: MessageHarness, instructions: readonly string[], source: OperandSource): void {
  const stack = Array.from({ length: STACK_WORDS }, () => pushWord(nextWord(source))).join(' JUMPDEST ');
  const run = (separator: string): { status: string; output: string } => {
    const { status, output } = harness.run(
      `${stack} JUMPDEST ${instructions.join(separator)} JUMPDEST ${show(1)} taken: ${show(2)}`,
    );
    return { status, output: bytesToHex(output) };
  };
  assert.deepEqual(run(' '), run(' JUMPDEST '), `${stack} | ${instructions.join(' ')}`);
}

describe('fused sequences', () => {
  const harness = new MessageHarness();
  for (const { name, first, second } of SEQUENCES) {
    test(`${first} and ${second} fuse into ${name} with the same result`, () => {
      const source = createOperandSource(SEED);
      for (let i = 0; i < CASES; i++) {
        compare(harness, [...expand(first, source), ...expand(second, source)], source);
      }
    });
  }

  test('computed constants have the same result as unfused instructions', () => {
    const source = createOperandSource(SEED);
    for (let i = 0; i < 8 * CASES; i++) {
      const pushed = Array.from({ length: 4 }, () =>
        pushWord(nextWord(source) >> BigInt(source.nextIndex(256))),
      );
      const computed = Array.from({ length: 3 }, () => [
        pick(source, FOLDED),
        ...(source.nextIndex(2) ? ['NOT'] : []),
      ]);
      compare(harness, [...pushed, ...computed.flat(), 'AND'], source);
    }
  });
});
