/** Programs of the `evm-benchmarks` conformance set (state test format), for tests and benchmarks of an EVM. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { type FlatState, parseState } from '../conformance/support/flat-state.ts';
import type { StateTestFileJson, StateTestJson } from '../conformance/support/state-test-json.ts';
import { findVectors } from './vectors.ts';

export type BenchmarkProgram = {
  /** Group, program and input: `main/snailtracer/benchmark`. */
  readonly name: string;
  readonly group: 'main' | 'micro';
  readonly address: Uint8Array;
  readonly code: Uint8Array;
  readonly calldata: Uint8Array;
  readonly caller: Uint8Array;
  readonly value: bigint;
  /** Gas limit of the whole transaction, as the file states it. */
  readonly gasLimit: bigint;
  /** All accounts before the call, including the program's and the caller's. */
  readonly state: FlatState;
  /** Last revision for which the file states the outcome. */
  readonly fork: string;
};

const GROUPS = ['main', 'micro'] as const;

/** All programs with each of their inputs, by name; undefined where the set is not installed. */
export function loadBenchmarkPrograms(): readonly BenchmarkProgram[] | undefined {
  const root = findVectors('evm-benchmarks');
  if (root === undefined) return undefined;
  return GROUPS.flatMap((group) => {
    const folder = join(root, 'benchmarks', group);
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return files.sort().flatMap((file) => {
      const tests = JSON.parse(readFileSync(join(folder, file), 'utf8')) as StateTestFileJson;
      return Object.values(tests).flatMap((test) => readPrograms(test, group, basename(file, '.json')));
    });
  });
}

function readPrograms(
  test: StateTestJson & { readonly _info?: { readonly labels?: Readonly<Record<string, string>> } },
  group: BenchmarkProgram['group'],
  program: string,
): BenchmarkProgram[] {
  const { transaction, pre } = test;
  const state = parseState(pre);
  const [fork, posts] = Object.entries(test.post).at(-1) ?? [];
  if (fork === undefined || posts === undefined) throw new RangeError(`${program}: no post`);
  return posts.map(({ indexes }) => {
    const label = test._info?.labels?.[String(indexes.data)] ?? String(indexes.data);
    return {
      name: `${group}/${program}/${label}`,
      group,
      address: hexToBytes(transaction.to),
      code: hexToBytes(pre[transaction.to]?.code ?? '0x'),
      calldata: hexToBytes(transaction.data[indexes.data] ?? '0x'),
      caller: hexToBytes(transaction.sender ?? '0x'),
      value: BigInt(transaction.value[indexes.value] ?? '0x0'),
      gasLimit: BigInt(transaction.gasLimit[indexes.gas] ?? '0x0'),
      state,
      fork,
    };
  });
}
