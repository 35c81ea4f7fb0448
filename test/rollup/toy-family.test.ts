/** A family that a developer adds: following the guide is sufficient. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import type { BlockReference } from '../../src/chain/requests.ts';
import { loadFamilies } from '../../src/rollup/family-table.ts';
import { recogniseFamily } from '../../src/rollup/recognise-family.ts';
import { countRounds } from './count-rounds.ts';
import { createScriptedChain, makeHeader, makeSources, SCOPE } from './scripted-chain.ts';
import { toy } from './toy-family.ts';

const FAMILIES = await loadFamilies();

const MAX_LINES = 60;
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const CALL = { to: `0x${'11'.repeat(20)}`, data: `0x${'ab'.repeat(100)}` };

function open(price: string) {
  const { chain } = createScriptedChain({
    headers: { latest: makeHeader({ baseFeePerGas: 7n }), finalized: makeHeader({ number: 90n }) },
    estimate: () => '"0x5208"',
    call: ({ call }) => (call.to === '0x70000000000000000000000000000000000000aa' ? price : '"0x"'),
    requests: { eth_maxPriorityFeePerGas: '"0x64"' },
  });
  return countRounds(chain);
}

const PRICE = `"0x${(1_000).toString(16).padStart(64, '0')}"`;

test('the toy family estimates in one round, folds the layer 1 cost, and is refused without its contract', async () => {
  const { chain, rounds } = open(PRICE);
  const estimate = { gasLimit: 21_000n, baseFeePerGas: 7n };
  // 100 bytes at 1,000 wei are 100,000 wei: 4.76 for each of 21,000 gas.
  assert.deepEqual(await toy.create(makeSources(chain)).estimateGas({ call: CALL, block: LATEST }, SCOPE), {
    ...estimate,
    priorityFeePerGas: 105n,
  });
  assert.equal(rounds(), 1);
  const excluding = toy.create(makeSources(chain, { l1CostMode: 'excluded' }));
  assert.deepEqual(await excluding.estimateGas({ call: CALL, block: LATEST }, SCOPE), {
    ...estimate,
    priorityFeePerGas: 100n,
  });
  await assert.rejects(
    toy.create(makeSources(open('"0x"').chain)).estimateGas({ call: CALL, block: LATEST }, SCOPE),
    (error) => error instanceof ChainError && error.kind === 'misconfigured',
  );
});

test('the toy family has info, and is recognised among all others', async () => {
  const { chain } = open(PRICE);
  const { rollupContext } = await toy.create(makeSources(chain)).info(SCOPE);
  assert.deepEqual(rollupContext, { queueIndex: 0n, index: 99n, verifiedIndex: 89n });
  assert.equal((await recogniseFamily(chain, SCOPE, [...FAMILIES, toy])).row, toy);
});

test(`the toy family has less than ${MAX_LINES} lines`, () => {
  const source = new URL('../../../test/rollup/toy-family.ts', import.meta.url);
  assert.ok(readFileSync(source, 'utf8').trimEnd().split('\n').length < MAX_LINES);
});
