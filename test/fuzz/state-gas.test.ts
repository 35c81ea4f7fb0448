/** State gas of random messages: independence of slicing, and sums that must hold (EIP-8037). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import type { Evm } from '../../packages/evm/interpreter/evm.ts';
import type { StateChanges } from '../../packages/evm/interpreter/host.ts';
import type { MessageResult, StateAccess } from '../../packages/evm/interpreter/message.ts';
import { rulesOf } from '../../packages/evm/interpreter/revisions/revisions.ts';
import { WHOLE_SLICE } from '../../packages/evm/interpreter/slice.ts';
import { createEvm } from '../../src/engine/create-evm.ts';
import { countRuns } from '../support/count-runs.ts';
import { CaseState } from './case-state.ts';
import { CHAIN_ID, type FuzzCase } from './fuzz-case.ts';
import { generateCase } from './generate/generate-case.ts';
import { Random } from './random.ts';
import { environmentOf } from './subject.ts';

const SEED = 41;
const PROGRAMS: number = countRuns(400);
const MEMORY_LIMIT: number = 64 << 20;
const SLICES: readonly bigint[] = [1n, 7n, 100n, 1000n, 50_000n];
const RESERVOIRS: readonly bigint[] = [0n, 0n, 50_000n, 97_920n, 183_600n, 400_000n, 10_000_000n];

type Outcome = {
  readonly result: MessageResult;
  readonly changes: StateChanges;
  readonly accesses: readonly string[];
};

function nameOf({ address, slot }: StateAccess): string {
  return `${bytesToHex(address)} ${slot === undefined ? '' : bytesToHex(slot)}`;
}

function run(
  evm: Evm,
  { accounts, block, sender, transaction }: FuzzCase,
  stateGas: bigint,
  slice: bigint,
): Outcome {
  evm.attach(new CaseState(accounts));
  evm.enter(environmentOf(block), CHAIN_ID, rulesOf('amsterdam'));
  evm.record('blockAccesses');
  evm.open();
  evm.begin();
  evm.start({ ...transaction, caller: hexToBytes(sender), gasPrice: transaction.maxFeePerGas, stateGas });
  while (!evm.advance(slice));
  // The reason for a precompile's failure is not computed where there is one slice.
  const result = { ...evm.result(), reason: '' };
  evm.finish();
  const changes = evm.state.collectChanges();
  return { result, changes, accesses: [...new Set(evm.takeBlockAccesses().map(nameOf))].sort() };
}

test('sums of state gas hold, and slices of any size give the same result', () => {
  const evm = createEvm(new CaseState(new Map()), MEMORY_LIMIT);
  let spills = 0;
  for (let index = 0; index < PROGRAMS; index++) {
    const fuzzCase = generateCase(SEED, index, 'amsterdam');
    const random = new Random(SEED, index, 0);
    const stateGas = random.pick(RESERVOIRS);
    const expected = run(evm, fuzzCase, stateGas, WHOLE_SLICE);
    assert.deepEqual(run(evm, fuzzCase, stateGas, random.pick(SLICES)), expected, `program ${index}`);
    const { status, gasUsed, stateGasLeft, stateGasUsed, gasNeeded } = expected.result;
    const spilled = stateGasLeft + stateGasUsed - stateGas;
    assert.ok(spilled >= 0n && spilled <= gasUsed, `program ${index}: ${spilled} of ${gasUsed}`);
    if (status !== 'success') assert.deepEqual([stateGasUsed, stateGasLeft], [0n, stateGas]);
    if (stateGas > 0n) assert.equal(gasNeeded, undefined);
    if (spilled > 0n) spills++;
  }
  assert.ok(spills > 0);
});
