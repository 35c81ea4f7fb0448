import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Constraint, drawPairwise, type Factors, listProduct } from './covering-array.ts';

type Row = {
  readonly colour: string;
  readonly size: number;
  readonly shape: string;
  readonly isSolid: boolean;
};

const FACTORS: Factors<Row> = {
  colour: Array.from({ length: 9 }, (_, index) => `colour ${index}`),
  size: [1, 2, 3, 4, 5],
  shape: ['circle', 'square', 'line'],
  isSolid: [true, false],
};
/** A line cannot be solid, and has only two colours. */
const isPossible: Constraint<Row> = ({ shape, isSolid, colour }) =>
  shape !== 'line' || (isSolid !== true && (colour === undefined || /[12]/.test(colour)));
const SEEDS = 20;

/** Lists every pair of members of a row. */
function listPairs(row: Row): string[] {
  const members = Object.entries(row).map(([name, value]) => `${name}=${value}`);
  return members.flatMap((one, i) => members.slice(i + 1).map((other) => `${one} ${other}`));
}

for (const [name, isAllowed] of [
  ['without a constraint', () => true],
  ['with a constraint', isPossible],
] as const) {
  test(`drawPairwise covers every pair of an allowed row, ${name}`, () => {
    const all = listProduct(FACTORS, isAllowed);
    const possible = new Set(all.flatMap(listPairs));
    for (let seed = 0; seed < SEEDS; seed++) {
      const rows = drawPairwise(FACTORS, isAllowed, seed);
      assert.ok(rows.every(isAllowed));
      assert.deepEqual(new Set(rows.flatMap(listPairs)), possible);
      // 45 pairs of colour and size need 45 rows at least; greedy choices need few more.
      assert.ok(rows.length >= 45 && rows.length < 60 && rows.length < all.length, `${rows.length} rows`);
    }
  });
}

test('listProduct lists every allowed row once', () => {
  const all = listProduct(FACTORS, isPossible);
  assert.equal(all.length, 9 * 5 * 2 * 2 + 2 * 5);
  assert.equal(new Set(all.map((row) => JSON.stringify(row))).size, all.length);
});

test('the seed determines the rows', () => {
  const draw = (seed: number): string => JSON.stringify(drawPairwise(FACTORS, isPossible, seed));
  assert.equal(draw(7), draw(7));
  assert.notEqual(draw(7), draw(8));
});
