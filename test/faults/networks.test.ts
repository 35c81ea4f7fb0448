/** Every circumstance of a network's nodes once, with varying numbers of nodes; `run-matrix.ts` runs all combinations. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { NETWORKS, nameSetting } from './networks.ts';
import { runNetwork } from './run-network.ts';
import { openStage, type Stage } from './stage.ts';

const SAMPLE = NETWORKS.map((row, i) => ({ row, size: row.sizes[i % row.sizes.length] as number }));

describe('a network of faulty nodes', { skip: ANVIL_SKIP, concurrency: 3 }, () => {
  let stage: Stage;

  before(async () => {
    stage = await openStage();
  });

  after(() => stage.close());

  for (const setting of SAMPLE) {
    test(nameSetting(setting), async () => {
      const cells = await runNetwork(stage, setting);
      assert.deepEqual(
        cells.filter(({ isCorrect }) => !isCorrect).map(({ name, detail }) => `${name}: ${detail}`),
        [],
      );
    });
  }
});
