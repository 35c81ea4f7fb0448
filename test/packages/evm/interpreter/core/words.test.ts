import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createOperandSource, NOTABLE } from './operands.ts';
import { createWordModule, WORD_BODIES, type WordModule } from './word-module.ts';
import { BINARY, TERNARY, UNARY } from './word-oracle.ts';

/** Cases per function; PORTCULLIS_WORD_CASES=1000000 is the long form. */
const CASES = Number(process.env['PORTCULLIS_WORD_CASES'] ?? 12_000);
const SEED = BigInt(process.env['PORTCULLIS_WORD_SEED'] ?? 1);
const WORD = 32;
/** Stack items under test. The stack grows upward: its top lies above the other operands, with canaries on both sides. */
const DEPTH = 4;
const CANARY = 0x5a_c3n;

let module: WordModule;
let top: number;

function writeWord(at: number, value: bigint): void {
  for (let limb = 0; limb < 4; limb++)
    module.memory.setBigUint64(at + 8 * limb, value >> BigInt(64 * limb), true);
}

function readWord(at: number): bigint {
  let value = 0n;
  for (let limb = 3; limb >= 0; limb--)
    value = (value << 64n) | module.memory.getBigUint64(at + 8 * limb, true);
  return value;
}

/** Puts operands on the stack, the first on top, runs the body, and reads the result at the new top. */
function execute(name: string, operands: readonly bigint[]): bigint {
  operands.forEach((operand, depth) => {
    writeWord(top - depth * WORD, operand);
  });
  const result = top - (operands.length - 1) * WORD;
  writeWord(top + WORD, CANARY);
  writeWord(result - WORD, CANARY);
  module.call(name, top);
  assert.equal(readWord(top + WORD), CANARY, `${name} writes above the top`);
  assert.equal(readWord(result - WORD), CANARY, `${name} writes below its operands`);
  return readWord(result);
}

function compute(name: string, [a = 0n, b = 0n, c = 0n]: readonly bigint[]): bigint {
  const value = UNARY[name]?.(a) ?? BINARY[name]?.(a, b) ?? TERNARY[name]?.(a, b, c);
  assert.ok(value !== undefined, `nothing known about ${name}`);
  return value;
}

function checkOne(name: string, operands: readonly bigint[]): void {
  const result = execute(name, operands);
  if (result !== compute(name, operands)) {
    assert.fail(
      `${name}(${operands.map((operand) => `0x${operand.toString(16)}`).join(', ')}) = 0x${result.toString(16)}`,
    );
  }
}

function check(name: string, arity: number, cases: number): void {
  const source = createOperandSource(SEED);
  for (let i = 0; i < cases; i++) {
    const operands = Array.from({ length: arity }, () => source.next());
    if (SHIFTS.has(name) && source.nextIndex(4) > 0) operands[0] = BigInt(source.nextIndex(258));
    checkOne(name, operands);
  }
}

/** Instructions whose first operand selects bits or bytes. */
const SHIFTS: ReadonlySet<string> = new Set(['shl', 'shr', 'sar', 'byteAt', 'signextend']);

before(async () => {
  module = await createWordModule(WORD_BODIES);
  top = module.scratch + DEPTH * WORD;
});

describe('instruction bodies', () => {
  for (const name of Object.keys(UNARY)) it(name, () => check(name, 1, CASES));
  for (const name of Object.keys(BINARY)) {
    it(name, () => check(name, 2, name === 'exp' ? Math.ceil(CASES / 16) : CASES));
  }
  for (const name of Object.keys(TERNARY)) it(name, () => check(name, 3, 4 * CASES));

  it('have correct results when the same few divisors repeat', () => {
    const source = createOperandSource(SEED + 1n);
    for (let i = 0; i < CASES / 32; i++) {
      const divisors = [source.next(), source.next()];
      for (let round = 0; round < 8; round++) {
        const divisor = divisors[source.nextIndex(2)] ?? 0n;
        for (const name of ['mulmod', 'addmod']) checkOne(name, [source.next(), source.next(), divisor]);
        for (const name of ['div', 'mod', 'sdiv', 'smod']) checkOne(name, [source.next(), divisor]);
      }
    }
  });

  it('have correct results where operands and moduli are next to each other', () => {
    const edges = NOTABLE.flatMap((value) => [value - 1n, value, value + 1n]).map((v) =>
      BigInt.asUintN(256, v),
    );
    for (const modulus of NOTABLE) {
      for (const a of edges) {
        for (const name of ['div', 'mod', 'sdiv', 'smod']) checkOne(name, [a, modulus]);
        for (const b of edges) {
          checkOne('mulmod', [a, b, modulus]);
          checkOne('addmod', [a, b, modulus]);
        }
      }
    }
  });
});

describe('word helpers', () => {
  it('classify, measure and compare words', () => {
    const source = createOperandSource(SEED + 2n);
    for (let i = 0; i < CASES; i++) {
      const [a, b] = [source.next(), source.next()];
      writeWord(top, a);
      writeWord(top - WORD, b);
      assert.equal(module.call('isZero', top), Number(a === 0n));
      assert.equal(module.call('fitsU64', top), Number(a < 1n << 64n));
      assert.equal(module.call('expByteLength', top), a === 0n ? 0 : Math.ceil(a.toString(16).length / 2));
      assert.equal(module.call('isLess', top, top - WORD), Number(a < b));
      assert.equal(module.call('isEqual', top, top - WORD), Number(a === b));
      assert.equal(
        module.call('isSignedLess', top, top - WORD),
        Number(BigInt.asIntN(256, a) < BigInt.asIntN(256, b)),
      );
    }
  });

  it('write words', () => {
    const source = createOperandSource(SEED + 3n);
    const [a, b, to] = [top, top - WORD, top - 3 * WORD];
    for (let i = 0; i < CASES; i++) {
      const [x, y] = [source.next(), source.next()];
      const small = BigInt.asUintN(64, y);
      const count = source.nextIndex(256);
      writeWord(a, x);
      writeWord(b, y);
      module.call('addWords', to, a, b);
      assert.equal(readWord(to), BigInt.asUintN(256, x + y));
      module.call('andWord', to, a, b);
      assert.equal(readWord(to), x & y);
      module.call('shlBy', to, a, count);
      assert.equal(readWord(to), BigInt.asUintN(256, x << BigInt(count)));
      module.call('shrBy', to, a, count);
      assert.equal(readWord(to), x >> BigInt(count));
      module.call('copyWord', to, a);
      assert.equal(readWord(to), x);
      module.call('addImmediate', to, BigInt.asIntN(64, small));
      assert.equal(readWord(to), BigInt.asUintN(256, x + small));
      module.call('setU64', to, BigInt.asIntN(64, small));
      assert.equal(readWord(to), small);
      assert.equal(readWord(a), x);
      assert.equal(readWord(b), y);
    }
  });

  it('convert words to big-endian bytes and back at any address', () => {
    const source = createOperandSource(SEED + 4n);
    for (let offset = 0; offset < 64; offset++) {
      const value = source.next();
      const bytes = module.scratch + 1024 + offset;
      writeWord(top, value);
      module.call('storeBigEndian', bytes, top);
      const hex = Array.from({ length: WORD }, (_, i) =>
        module.memory
          .getUint8(bytes + i)
          .toString(16)
          .padStart(2, '0'),
      );
      assert.equal(BigInt(`0x${hex.join('')}`), value);
      module.call('loadBigEndian', top - WORD, bytes);
      assert.equal(readWord(top - WORD), value);
    }
  });
});
