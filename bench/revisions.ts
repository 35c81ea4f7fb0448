/**
 * Long-running programs under Osaka and under Amsterdam, in one process, interleaved: CPU milliseconds of a message. With a FOLDER, the built
 * checkout of another version, both run Osaka: that version and this one. Ratios are medians of the rounds' ratios.
 * `npm run bench -- revisions [FOLDER]`
 */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bytesToHex, hexToBytes } from '../packages/ethereum/primitives/hex.ts';
import type { Evm } from '../packages/evm/interpreter/evm.ts';
import type { StateReader } from '../packages/evm/interpreter/host.ts';
import type { BlockEnvironment, MessageResult } from '../packages/evm/interpreter/message.ts';
import type { Revision } from '../packages/evm/interpreter/revisions/revisions.ts';
import { WHOLE_SLICE } from '../packages/evm/interpreter/slice.ts';
import { assemble } from '../scripts/assembler.ts';
import { labelAddress } from '../scripts/chains/accounts.ts';
import { findVectors, SKIP_REASON } from '../test/support/vectors.ts';
import { median } from './load.ts';
import { concludeWith, formatColumns } from './support/figures.ts';
import { readerOf } from './support/program-state.ts';
import { PROGRAM_GAS, type ProgramSet, readPrograms } from './support/program-workloads.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
/** Substring of the names of the programs to run. */
const ONLY = process.env['ONLY'] ?? '';
/** Duration for which each round repeats a program, CPU time. */
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 60);
/** New EVMs need a warm-up, because V8 optimizes the core's callers anew. */
const WARM_UP_MS: number = ROUND_MS / 2;
const MEMORY_LIMIT: number = 64 << 20;
/** Least speed of the second side relative to the first, where the sides differ by version or by revision. */
const LEAST = { version: 0.97, revision: 0.95 } as const;

type Parts = Pick<typeof import('../src/engine/create-evm.ts'), 'createEvm'> &
  Pick<typeof import('../packages/evm/interpreter/revisions/revisions.ts'), 'rulesOf'>;

type Message = { readonly to: Uint8Array; readonly data: Uint8Array };
type Side = { run(message: Message): MessageResult };

const BLOCK: BlockEnvironment = {
  number: 1n,
  timestamp: 1n,
  beneficiary: new Uint8Array(20),
  gasLimit: PROGRAM_GAS,
  difficulty: 0n,
  prevRandao: new Uint8Array(32),
  baseFeePerGas: 0n,
  blobBaseFee: 0n,
  getBlockHash: () => new Uint8Array(32),
};
const STOP: Uint8Array = labelAddress('bench stop');
/** Loops that state gas and the order of charges could slow down: calls, written slots, creations. */
const LOOPS: readonly (readonly [name: string, body: string, count: number])[] = [
  ['calls of nothing', '0 0 0 0 0 4242 GAS CALL POP', 10_000],
  ['calls', `0 0 0 0 0 ${bytesToHex(STOP)} GAS CALL POP`, 10_000],
  ['slots', 'DUP1 7 AND SLOAD 1 ADD DUP2 7 AND SSTORE', 10_000],
  ['creations', '0 0 0 CREATE POP', 500],
];

function addLoops({ contracts, programs }: ProgramSet): ProgramSet {
  const loops = LOOPS.map(([name, body, count]) => ({
    name,
    address: labelAddress(`bench ${name}`),
    code: assemble(`${count} next: ${body} 1 SWAP1 SUB DUP1 @next JUMPI`),
  }));
  const bodies = loops.map(({ name, address }) => ({
    name,
    body: JSON.stringify({ params: [{ to: bytesToHex(address), data: '0x' }] }),
  }));
  return {
    contracts: [...contracts, ...loops, { address: STOP, code: Uint8Array.of(0) }],
    programs: [...programs, ...bodies],
  };
}

const CALLER: Uint8Array = new Uint8Array(20).fill(1);

async function importParts(folder: string): Promise<Parts> {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(folder, 'build', path)).href);
  const [engine, revisions] = await Promise.all([
    load('src/engine/create-evm.js'),
    // Versions before the packages have it below src.
    load('packages/evm/interpreter/revisions/revisions.js').catch(() =>
      load('src/evm/revisions/revisions.js'),
    ),
  ]);
  return { ...(engine as Parts), ...(revisions as Parts) };
}

function createSide({ createEvm, rulesOf }: Parts, revision: Revision, reader: StateReader): Side {
  const evm: Evm = createEvm(reader, MEMORY_LIMIT);
  const rules = rulesOf(revision);
  return {
    run: ({ to, data }) => {
      evm.enter(BLOCK, 1n, rules);
      evm.open();
      evm.begin();
      const plain = { value: 0n, gasLimit: PROGRAM_GAS, stateGas: 0n, gasPrice: 0n };
      evm.start({ caller: CALLER, to, data, ...plain, blobVersionedHashes: [], accessList: [] });
      while (!evm.advance(WHOLE_SLICE));
      const result = evm.result();
      while (!evm.abandon());
      return result;
    },
  };
}

/**
 * Returns the CPU milliseconds of one run.
 * @param forMs duration for which the run is repeated, at least once
 */
function time(side: Side, message: Message, forMs: number): number {
  const begin = process.cpuUsage();
  for (let runs = 1; ; runs++) {
    side.run(message);
    const { user, system } = process.cpuUsage(begin);
    if (user + system >= 1000 * forMs) return (user + system) / 1000 / runs;
  }
}

type Measured = { readonly name: string; readonly message: Message; readonly rounds: [number, number][] };

/**
 * Each round creates new EVMs and swaps which side goes first: a program may run a quarter slower on one EVM than on another with the same code and
 * rules, for as long as the EVM lives.
 */
function measure(createSides: () => readonly [Side, Side], { programs }: ProgramSet): readonly Measured[] {
  const measured = programs
    .filter(({ name }) => name.includes(ONLY))
    .map(({ name, body }): Measured => {
      const [call] = (JSON.parse(body) as { params: [{ to: string; data: string }] }).params;
      return { name, message: { to: hexToBytes(call.to), data: hexToBytes(call.data) }, rounds: [] };
    });
  for (let round = 0; round <= ROUNDS; round++) {
    const sides = createSides();
    for (const { name, message, rounds } of measured) {
      compareOutputs(name, sides, message);
      for (const side of sides) time(side, message, WARM_UP_MS);
      const ms: [number, number] = [0, 0];
      for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
        ms[at] = time(sides[at], message, ROUND_MS);
      if (round > 0) rounds.push(ms);
    }
  }
  return measured;
}

/** @throws Error when a side fails, or the two sides return different outputs */
function compareOutputs(name: string, [first, second]: readonly [Side, Side], message: Message): void {
  const [theirs, ours] = [first.run(message), second.run(message)];
  if (theirs.status !== 'success' || bytesToHex(theirs.output) !== bytesToHex(ours.output))
    throw new Error(`${name}: ${theirs.reason || ours.reason || 'outputs differ'}`);
}

const vectors = findVectors('evm-benchmarks');
if (vectors === undefined) throw new Error(SKIP_REASON);
const set = addLoops(readPrograms(vectors));
const reader = readerOf(set);
const here = await importParts(resolve(import.meta.dirname, '../..'));
const other = process.argv.slice(2).find((text) => !text.startsWith('-'));
const before = other === undefined ? undefined : await importParts(resolve(other));
const createSides = (): readonly [Side, Side] =>
  before === undefined
    ? [createSide(here, 'osaka', reader), createSide(here, 'amsterdam', reader)]
    : [createSide(before, 'osaka', reader), createSide(here, 'osaka', reader)];
const labels = before === undefined ? ['osaka', 'amsterdam'] : ['before', 'now'];
const measured = measure(createSides, set);
const ratios = measured.map(({ rounds }) => median(rounds.map(([first, second]) => first / second)));
console.log(
  formatColumns([
    ['program', ...labels.map((label) => `${label} ms`), 'ratio'],
    ...measured.map(({ name, rounds }, i) => [
      name,
      median(rounds.map((round) => round[0])).toFixed(3),
      median(rounds.map((round) => round[1])).toFixed(3),
      (ratios[i] as number).toFixed(3),
    ]),
  ]),
);
const lowest = Math.min(...ratios);
concludeWith([
  {
    name: 'geomean',
    value: Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length),
    atLeast: other === undefined ? LEAST.revision : LEAST.version,
    digits: 3,
  },
  { name: 'lowest', value: lowest, of: measured[ratios.indexOf(lowest)]?.name ?? '', digits: 3 },
]);
