/**
 * Programs on the published package @portcullis/evm and on @ethereumjs/evm, in one process: milliseconds of a whole call. The sides take turns
 * and outputs are compared; figures are medians.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM } from '@ethereumjs/evm';
import { createAccount, createAddressFromString } from '@ethereumjs/util';
import { bytesToHex, hexToBytes } from '../packages/ethereum/primitives/hex.ts';
import { buildPackage } from '../scripts/packages/build-package.ts';
import { ROOT } from '../scripts/program-files.ts';
import { findVectors, SKIP_REASON } from '../test/support/vectors.ts';
import { median } from './load.ts';
import { concludeWith, formatColumns } from './support/figures.ts';
import { readerOf } from './support/program-state.ts';
import { PROGRAM_GAS, type ProgramSet, readPrograms } from './support/program-workloads.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
/** Duration for which each round repeats a program, at least once. */
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 50);
const CALLER = `0x${'01'.repeat(20)}`;

type Call = { readonly to: string; readonly data: string };
/** Runs a call and returns its output. */
type Side = (call: Call) => Promise<Uint8Array>;

async function createOurs(set: ProgramSet): Promise<Side> {
  // Below the repository, where the package's dependencies are found.
  const folder = join(ROOT, 'build/bench/package-evm');
  await buildPackage('evm', folder);
  const { createExecutor } = (await import(pathToFileURL(join(folder, 'index.js')).href)) as Pick<
    typeof import('../packages/evm/index.ts'),
    'createExecutor'
  >;
  const evm = createExecutor({ state: readerOf(set), chain: { chainId: 1, fork: 'prague' } });
  const from = hexToBytes(CALLER);
  return async ({ to, data }) => {
    const call = { from, to: hexToBytes(to), data: hexToBytes(data), gas: PROGRAM_GAS };
    const { status, reason, output } = await evm.call(call, { gasLimit: PROGRAM_GAS });
    if (status !== 'success') throw new Error(reason);
    return output;
  };
}

async function createTheirs({ contracts }: ProgramSet): Promise<Side> {
  const evm = await createEVM({
    common: createCustomCommon({ chainId: '1' }, Mainnet, { hardfork: Hardfork.Prague }),
  });
  const word = (value: string): Uint8Array => hexToBytes(`0x${BigInt(value).toString(16).padStart(64, '0')}`);
  for (const { address, code, storage = {} } of contracts) {
    const at = createAddressFromString(bytesToHex(address));
    await evm.stateManager.putAccount(at, createAccount({ nonce: 1n }));
    await evm.stateManager.putCode(at, typeof code === 'string' ? hexToBytes(code) : code);
    for (const [slot, value] of Object.entries(storage))
      await evm.stateManager.putStorage(at, word(slot), word(value));
  }
  const caller = createAddressFromString(CALLER);
  return async ({ to, data }) => {
    const { execResult } = await evm.runCall({
      ...{ caller, to: createAddressFromString(to), data: hexToBytes(data), gasLimit: PROGRAM_GAS },
    });
    if (execResult.exceptionError !== undefined) throw new Error(execResult.exceptionError.error);
    return execResult.returnValue;
  };
}

/** Returns the milliseconds of one run, repeated for a round. */
async function time(side: Side, call: Call): Promise<number> {
  const begin = performance.now();
  for (let runs = 1; ; runs++) {
    await side(call);
    const ms = performance.now() - begin;
    if (ms >= ROUND_MS) return ms / runs;
  }
}

const vectors = findVectors('evm-benchmarks');
if (vectors === undefined) throw new Error(SKIP_REASON);
const set = readPrograms(vectors);
const [theirs, ours] = [await createTheirs(set), await createOurs(set)];
const rows: string[][] = [['program', '@ethereumjs/evm ms', '@portcullis/evm ms', 'ratio']];
const ratios: number[] = [];
for (const { name, body } of set.programs) {
  const [call] = (JSON.parse(body) as { params: [Call] }).params;
  const [expected, output] = [await theirs(call), await ours(call)];
  if (bytesToHex(expected) !== bytesToHex(output)) throw new Error(`${name}: outputs differ`);
  const ms: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    ms[0].push(await time(theirs, call));
    ms[1].push(await time(ours, call));
  }
  const [their, our] = [median(ms[0]), median(ms[1])];
  ratios.push(their / our);
  rows.push([name, their.toFixed(3), our.toFixed(3), (their / our).toFixed(1)]);
}
console.log(formatColumns(rows));
concludeWith([
  {
    name: 'geomean',
    value: Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length),
    atLeast: 10,
  },
  { name: 'lowest', value: Math.min(...ratios), atLeast: 1 },
]);
