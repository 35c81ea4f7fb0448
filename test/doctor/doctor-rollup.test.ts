import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRollup, diagnoseRollup } from '../../src/doctor/doctor-rollup.ts';

const OPTIONS = { mode: 'verifier', l1CostMode: 'folded' } as const;

test("diagnoseRollup reports every name of the family's estimate method, or only the configured one", async () => {
  const own = await diagnoseRollup({ ...OPTIONS, family: 'zksync' });
  assert.deepEqual([own.prefix, own.alsoPrefixes], ['zksync', ['zks']]);
  assert.match(describeRollup(own), /estimates as zksync_estimateGas and zks_estimateGas/);
  const mine = await diagnoseRollup({ ...OPTIONS, family: 'zksync', prefix: 'mine' });
  assert.deepEqual([mine.prefix, mine.alsoPrefixes], ['mine', undefined]);
  assert.match(describeRollup(mine), /estimates as mine_estimateGas;/);
});
