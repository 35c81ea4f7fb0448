/** A sample of the matrix that contains every fault once; `run-matrix.ts` runs all of it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { FAULTS } from './catalogue.ts';
import { listGroups } from './matrix.ts';
import { runGroup } from './run-group.ts';
import { openStage, type Stage } from './stage.ts';

/** One group per fault; the position varies from fault to fault, so that every circumstance occurs. */
const SAMPLE = FAULTS.map((fault, index) => {
  const groups = listGroups([fault]);
  return groups[index % groups.length] as (typeof groups)[number];
});

describe('a network with one faulty node', { skip: ANVIL_SKIP, concurrency: 4 }, () => {
  let stage: Stage;

  before(async () => {
    stage = await openStage();
  });

  after(() => stage.close());

  for (const group of SAMPLE) {
    test(`${group.fault.name}: ${group.kind}, ${group.circumstance.name}`, async () => {
      const { cells } = await runGroup(stage, group);
      assert.deepEqual(
        cells.filter(({ isCorrect }) => !isCorrect).map(({ name, detail }) => `${name}: ${detail}`),
        [],
      );
    });
  }
});
