/**
 * Nanoseconds of each 256-bit instruction body and megabytes per second of keccak, as they run inside the core: a loop within the module, dispatched
 * by a switch (about 2 ns, included). `chained`: each run depends on the result of the one before. The least of many short runs counts, because other
 * load on the machine only adds time.
 */
import { createWordModule, type WordModule } from '../test/packages/evm/interpreter/core/word-module.ts';

/** The order is that of the cases in bench/assembly/words.ts. */
const INSTRUCTIONS = (
  'add mul sub div sdiv mod smod addmod mulmod exp signextend lt gt slt sgt eq iszero and or xor not byteAt shl shr ' +
  'sar clz'
).split(' ');
const SETS = 64;
/** Bytes of one operand set: four words. */
const SET_SIZE = 128;
const RUNS = 40;
const RUN_MS = 0.5;
const LENGTHS: readonly number[] = [32, 64, 136, 1024, 65_536];

const BN254 = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
const SECP256K1 = (1n << 256n) - (1n << 32n) - 977n;

type Operand = () => bigint;
type Row = readonly [instruction: string, operands: string, ...Operand[]];

let state = 0x2545f4914f6cdd1dn;

function nextLimb(): bigint {
  state ^= BigInt.asUintN(64, state << 13n);
  state ^= state >> 7n;
  state ^= BigInt.asUintN(64, state << 17n);
  return state;
}

/** Generates numbers of exactly `count` bits. */
const bits = (count: number): Operand => {
  const top = 1n << BigInt(count - 1);
  return () =>
    (((((((nextLimb() << 64n) | nextLimb()) << 64n) | nextLimb()) << 64n) | nextLimb()) % top) | top;
};
const upTo = (bound: number): Operand => {
  return () => nextLimb() % BigInt(bound);
};
const always = (value: bigint): Operand => {
  return () => value;
};
const reduced = (modulus: bigint): Operand => {
  return () => bits(256)() % modulus;
};

const ROWS: readonly Row[] = [
  ['add', '256', bits(256), bits(256)],
  ['sub', '256', bits(256), bits(256)],
  ['mul', '256 x 256', bits(256), bits(256)],
  ['mul', '256 x 64', bits(256), bits(64)],
  ['mul', '128 x 128', bits(128), bits(128)],
  ['mul', '64 x 64', bits(64), bits(64)],
  ['div', '256 / 256', bits(256), bits(254)],
  ['div', '256 / 190', bits(256), bits(190)],
  ['div', '256 / 125', bits(256), bits(125)],
  ['div', '256 / 60', bits(256), bits(60)],
  ['div', '256 / 10^18', bits(256), always(10n ** 18n)],
  ['div', '128 / 90', bits(128), bits(90)],
  ['div', '64 / 30', bits(64), bits(30)],
  ['sdiv', '256 / 125', bits(256), bits(125)],
  ['mod', '256 % 125', bits(256), bits(125)],
  ['mod', '256 % bn254', bits(256), always(BN254)],
  ['smod', '256 % 125', bits(256), bits(125)],
  ['addmod', 'bn254', reduced(BN254), reduced(BN254), always(BN254)],
  ['addmod', 'bn254, unreduced', bits(256), bits(256), always(BN254)],
  ['mulmod', 'secp256k1', bits(256), bits(256), always(SECP256K1)],
  ['mulmod', '2^256 - 1', bits(256), bits(256), always((1n << 256n) - 1n)],
  ['mulmod', 'bn254', reduced(BN254), reduced(BN254), always(BN254)],
  ['mulmod', 'bn254, by 3', reduced(BN254), always(3n), always(BN254)],
  ['mulmod', 'bn254, unreduced', bits(256), bits(256), always(BN254)],
  ['mulmod', 'changing modulus', bits(256), bits(256), bits(256)],
  ['mulmod', 'changing 128', bits(120), bits(120), bits(121)],
  ['exp', '10 ^ 18', always(10n), always(18n)],
  ['exp', '2 ^ n', always(2n), upTo(256)],
  ['exp', 'odd 256 ^ 256', () => bits(256)() | 1n, bits(256)],
  ['signextend', 'any', upTo(32), bits(256)],
  ['lt', '256', bits(256), bits(256)],
  ['lt', '64', bits(64), bits(64)],
  ['slt', '64', bits(64), bits(64)],
  ['eq', '256', bits(256), bits(256)],
  ['iszero', '64', bits(64)],
  ['and', '256', bits(256), bits(256)],
  ['not', '256', bits(256)],
  ['byteAt', 'any', upTo(32), bits(256)],
  ['shl', 'any', upTo(256), bits(256)],
  ['shr', 'any', upTo(256), bits(256)],
  ['shr', '96', always(96n), bits(256)],
  ['sar', 'any', upTo(256), bits(256)],
  ['clz', '256', bits(256)],
];

/** Writes consecutive operand sets, each with its first operand first. */
function writeOperands(module: WordModule, operands: readonly Operand[]): void {
  for (let set = 0; set < SETS; set++) {
    operands.forEach((operand, place) => {
      const value = operand();
      const at = module.scratch + set * SET_SIZE + place * 32;
      for (let limb = 0; limb < 4; limb++)
        module.memory.setBigUint64(at + 8 * limb, value >> BigInt(64 * limb), true);
    });
  }
}

/** Returns the least time of `run(count)` divided by `count`, nanoseconds. */
function measure(run: (count: number) => void): number {
  let count = 1;
  for (let elapsed = 0; elapsed < RUN_MS; ) {
    count *= 2;
    const start = performance.now();
    run(count);
    elapsed = performance.now() - start;
  }
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    run(count);
    least = Math.min(least, performance.now() - start);
  }
  return (least * 1e6) / count;
}

function report(name: string, ...figures: string[]): void {
  process.stdout.write(`${name.padEnd(30)}${figures.map((figure) => figure.padStart(12)).join('')}\n`);
}

const module = await createWordModule('bench/assembly/words.ts');

report('', 'ns', 'ns chained');
for (const [instruction, description, ...operands] of ROWS) {
  const index = INSTRUCTIONS.indexOf(instruction);
  writeOperands(module, operands);
  const apart = measure((count) => module.call('repeat', index, count, SETS)) / SETS;
  const chained = measure((count) => module.call('chain', index, count, operands.length));
  report(`${instruction} ${description}`, apart.toFixed(1), chained.toFixed(1));
}

report('', 'ns', 'MB/s');
for (const length of LENGTHS) {
  const ns = measure((count) => module.call('hashRepeatedly', count, length));
  report(`keccak256 ${length} bytes`, ns.toFixed(0), ((length / ns) * 1e3).toFixed(0));
}
