/** A program that keeps an engine busy for a while: one of the main set of evm-benchmarks, or a loop of this bench. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { labelAddress } from '../../scripts/chains/accounts.ts';
import { encodeCall } from '../../scripts/chains/encode-call.ts';
import { LOOPS_CODE, type LoopName, loopSignature } from '../contracts/loops.ts';
import { encodeRequest } from './ask.ts';
import type { Contract } from './chain.ts';

export type Program = {
  readonly name: string;
  /** Body of the request that runs the program. */
  readonly body: string;
};

export type ProgramSet = {
  readonly contracts: readonly Contract[];
  readonly programs: readonly Program[];
};

/** Gas of one call: more than any program uses, less than 2^32. */
export const PROGRAM_GAS = 1_000_000_000n;

const LOOPS: Uint8Array = labelAddress('bench loops');

/** Iterations of each loop. */
const LOOP_RUNS: readonly (readonly [name: LoopName, count: bigint])[] = [
  ['arithmetic', 250_000n],
  ['sort', 400n],
  ['copyWords', 2_048n],
  ['hashPacked', 10_000n],
  ['hashScratch', 10_000n],
];

/** The members of a state test that the benches read. */
type StateTest = {
  readonly pre: Readonly<Record<string, { readonly code: string; readonly storage: Record<string, string> }>>;
  readonly transaction: { readonly to: string; readonly data: readonly string[] };
};

function encodeRun(to: string, data: string): string {
  return encodeRequest('eth_call', [{ to, data, gas: `0x${PROGRAM_GAS.toString(16)}` }, 'latest']);
}

function createLoops(): ProgramSet {
  return {
    contracts: [{ address: LOOPS, code: LOOPS_CODE }],
    programs: LOOP_RUNS.map(([name, count]) => ({
      name,
      body: encodeRun(bytesToHex(LOOPS), bytesToHex(encodeCall(loopSignature(name), count))),
    })),
  };
}

/** Reads a state test's contract and its longest input, which takes the longest to run. */
function readTest(file: string): ProgramSet {
  const [test] = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, StateTest>);
  if (test === undefined) throw new Error(`${file} has no test`);
  const name = basename(file, '.json');
  const { to, data } = test.transaction;
  const account = test.pre[to];
  if (account === undefined) throw new Error(`${file}: nothing at ${to}`);
  const input = data.reduce((longest, one) => (one.length > longest.length ? one : longest));
  // Every file puts its contract at the same address.
  const address = labelAddress(`bench ${name}`);
  return {
    contracts: [{ address, code: account.code, storage: account.storage }],
    programs: [{ name, body: encodeRun(bytesToHex(address), input) }],
  };
}

/**
 * Reads all programs and their contracts.
 * @param benchmarks folder of the evm-benchmarks vectors
 */
export function readPrograms(benchmarks: string): ProgramSet {
  const folder = join(benchmarks, 'benchmarks/main');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const sets = [...files.sort().map((name) => readTest(join(folder, name))), createLoops()];
  return {
    contracts: sets.flatMap(({ contracts }) => contracts),
    programs: sets.flatMap(({ programs }) => programs),
  };
}
