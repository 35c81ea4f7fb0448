/** The short form of `npm run check -- verified`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { readSamples } from '../packages/proofs/samples.ts';
import { countRuns, STRIDE } from '../support/count-runs.ts';
import { drawRanked } from './draw.ts';
import { openFigures, runCases } from './run-cases.ts';
import { askSample, fuzzTrueNodes, isOfNode, type TrueFigures } from './run-true-nodes.ts';
import { DEVNET } from './sources.ts';
import type { Truth } from './truth.ts';
import { tabulateUncovered } from './uncovered.ts';

const REQUESTS: number = countRuns(300);
const SAMPLES = 6;
/** Seed of the drawn changes and of the requests to true nodes. */
const SEED = Number(process.env['PORTCULLIS_SEED'] ?? 1);

test('docs/upstreams.md contains the table of members that no root covers', () => {
  const docs = readFileSync(new URL('../../../docs/upstreams.md', import.meta.url), 'utf8');
  const table = tabulateUncovered();
  assert.ok(docs.includes(`${table}\n`), `docs/upstreams.md should have:\n${table}`);
});

test('a seed draws the same changes, independent of order and of new items', () => {
  const items = Array.from({ length: 1_000 }, (_, i) => `item ${i}`);
  const draw = (list: readonly string[], seed: number): ReadonlySet<string> =>
    new Set(drawRanked(list, 0.02, (item) => `${seed} ${item}`));
  const drawn = draw(items, 1);
  assert.equal(drawn.size, 20);
  assert.deepEqual(draw(items.toReversed(), 1), drawn);
  assert.notDeepEqual(draw(items, 2), drawn);
  for (let i = 0; i < 50; i++) {
    const again = draw([`new ${i}`, ...items], 1);
    assert.ok([...drawn].filter((item) => !again.has(item)).length <= 1);
  }
  assert.equal(drawRanked(items, 0.000_1, String).length, 1);
});

describe('verification of answers from nodes', () => {
  let truth: Truth;
  /** Number of changes per verdict, over all tests: the drawn ones depend on the requests to nodes. */
  const seen = { truth: 0, refused: 0 };
  const note = ({ verdicts }: ReturnType<typeof openFigures>): void => {
    seen.truth += verdicts.truth;
    seen.refused += verdicts.refused;
  };
  before(async () => {
    truth = await DEVNET.open();
  });
  after(() => truth.close());

  test('detects every change that a root covers', async (t) => {
    t.diagnostic(`PORTCULLIS_SEED=${SEED}`);
    const figures = openFigures();
    const options = {
      maxBlocks: 1,
      stride: 7,
      share: 0.009 / STRIDE,
      seed: SEED,
      isEvery: false,
      only: '',
      setting: '',
      parallel: 4,
    };
    await runCases(truth, undefined, options, figures);
    assert.deepEqual(figures.falseAlarms, []);
    assert.deepEqual(figures.missed, []);
    assert.deepEqual(figures.denied, []);
    assert.ok(figures.cases > 30, `${figures.cases} changes`);
    note(figures);
  });

  test('detects every such change in streamed answers', async (t) => {
    t.diagnostic(`PORTCULLIS_SEED=${SEED}`);
    const figures = openFigures();
    const options = {
      maxBlocks: 2,
      stride: 1,
      share: 0.0045 / STRIDE,
      seed: SEED,
      isEvery: false,
      setting: 'streamed',
      parallel: 4,
    };
    for (const only of ['eth_getLogs', 'eth_getTransactionReceipt', 'eth_getUncleCount'])
      await runCases(truth, undefined, { ...options, only }, figures);
    assert.deepEqual(figures.falseAlarms, []);
    assert.deepEqual(figures.missed, []);
    assert.deepEqual(figures.denied, []);
    assert.ok(figures.cases > 10, `${figures.cases} changes`);
    note(figures);
  });

  test('some changes were refused, and others were answered by honest nodes', () => {
    assert.ok(seen.truth > 0 && seen.refused > 0, JSON.stringify(seen));
  });

  test('refutes no true answer', async (t) => {
    t.diagnostic(`PORTCULLIS_SEED=${SEED}`);
    const figures: TrueFigures = { requested: 0, falseAlarms: [] };
    await fuzzTrueNodes(truth, REQUESTS, SEED, figures);
    const samples = (readSamples() ?? []).filter(isOfNode);
    for (const sample of samples.slice(0, SAMPLES)) await askSample(sample, 'WebSocket', figures);
    assert.deepEqual(figures.falseAlarms, []);
    assert.ok(figures.requested >= REQUESTS);
  });
});
