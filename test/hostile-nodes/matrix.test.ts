/** A dozen cases with every kind of delivery; `run-hostile-nodes.ts` covers every pair, and measures more. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DELIVERIES } from '../support/hostile/deliveries.ts';
import { FACTORS, type HostileCase, isPossible, nameCase } from './cases.ts';
import { drawPairwise, listProduct } from './covering-array.ts';
import { runMatrix } from './matrix-run.ts';
import { Session } from './session.ts';

const SEED = 1;
/** Slow deliveries are omitted: a trickle lasts as long as the service waits; large sizes take long on a busy machine. */
const SAMPLE: readonly HostileCase[] = DELIVERIES.filter(({ isSlow }) => isSlow !== true).map(
  ({ name }, index) => {
    const rows = drawPairwise(FACTORS, isPossible, SEED).filter(
      ({ delivery, bytes }) => delivery === name && bytes === FACTORS.bytes[0],
    );
    return rows[(index * 7) % rows.length] as HostileCase;
  },
);
const PATIENT = Number.POSITIVE_INFINITY;

test('the drawn cases cover every possible pair of request, content, delivery and transport', () => {
  const drawn = drawPairwise(FACTORS, isPossible, SEED);
  const listPairs = (rows: readonly HostileCase[]): ReadonlySet<string> =>
    new Set(
      rows.flatMap(({ request, content, delivery, transport }) => [
        `${request} ${transport}`,
        `${request} ${content}`,
        `${request} ${delivery}`,
        `${delivery} ${transport}`,
      ]),
    );
  assert.deepEqual(listPairs(drawn), listPairs(listProduct(FACTORS, isPossible)));
  assert.equal(new Set(drawn.map(nameCase)).size, drawn.length);
});

describe('a service with hostile nodes', () => {
  let session: Session;
  before(async () => {
    session = await Session.open(false);
  });
  after(() => session.close());

  test(`answers clients, reports the nodes, and exits: ${SAMPLE.length} cases`, async () => {
    const options = { batch: SAMPLE.length, budgetMs: PATIENT, isTimed: false, report: () => {} };
    const { cases, failures } = await runMatrix(session, SAMPLE, options);
    assert.deepEqual(failures, []);
    assert.equal(cases, SAMPLE.length);
  });
});
