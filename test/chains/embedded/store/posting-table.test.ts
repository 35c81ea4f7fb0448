import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { open } from 'lmdb';
import { LIST_END, PostingTable } from '../../../../src/chains/embedded/store/posting-table.ts';
import { countRuns } from '../../../support/count-runs.ts';
import { makeTemporaryFolder } from '../../../support/embedded.ts';

const folder = makeTemporaryFolder();
const root = open<Buffer, Buffer>({ path: folder.path, encoding: 'binary', keyEncoding: 'binary' });
const openTable = (name: string): ConstructorParameters<typeof PostingTable>[0] =>
  root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
const table = new PostingTable(openTable('open'), openTable('closed'));
after(async () => {
  await root.close();
  folder.remove();
});

/** Adjacent keys, whose lists must not be confused. */
const KEYS = ['04ff', '0500', '050100000000000000', '0502'].map((hex) => Buffer.from(hex, 'hex'));

const differences = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 300 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 ** 40 }) },
  ),
  { maxLength: 40 },
);

/** Ascending numbers, thousands of them where `repeats` is large, so that chunks are closed. */
function toNumbers(steps: readonly number[], repeats: number): number[] {
  let sum = -1;
  return Array.from({ length: steps.length * repeats }, (_, i) => {
    sum += i < steps.length ? (steps[i] as number) : ((steps[i % steps.length] as number) % 999) + 1;
    return sum;
  });
}

function appendInCommits(key: Buffer, numbers: readonly number[], size: number): void {
  for (let at = 0; at < numbers.length; at += size) {
    root.transactionSync(() => table.append(key, numbers.slice(at, at + size)));
  }
}

test('a cursor finds every number of a list from every position, however the list was written', () => {
  fc.assert(
    fc.property(
      fc.tuple(differences, differences, differences, differences),
      fc.constantFrom(1, 3, 150),
      fc.integer({ min: 1, max: 4_000 }),
      fc.array(fc.double({ min: 0, max: 1.1, noNaN: true }), { maxLength: 30 }),
      (lists, repeats, size, places) => {
        root.transactionSync(() => table.clear());
        const all = lists.map((steps) => toNumbers(steps, repeats));
        for (const [i, numbers] of all.entries())
          appendInCommits(KEYS[i] as Buffer, numbers, Math.max(size, repeats));
        for (const [i, numbers] of all.entries()) {
          const walker = table.openCursor(KEYS[i] as Buffer);
          const walked: number[] = [];
          for (let at = walker.seek(0); at !== LIST_END; at = walker.seek(at + 1)) walked.push(at);
          assert.deepEqual(walked, numbers);
          const cursor = table.openCursor(KEYS[i] as Buffer);
          for (const place of places.toSorted((a, b) => a - b)) {
            const target = Math.floor(place * ((numbers.at(-1) ?? 0) + 2));
            assert.equal(cursor.seek(target), numbers.find((number) => number >= target) ?? LIST_END);
          }
        }
      },
    ),
    { numRuns: countRuns(60) },
  );
});

test('a cursor reads the list as of its opening, while chunks are closed', () => {
  root.transactionSync(() => table.clear());
  const key = KEYS[1] as Buffer;
  const numbers = toNumbers([7, 300, 2], 1_500);
  for (let at = 0; at < numbers.length; at += 100) {
    const before = table.openCursor(key);
    root.transactionSync(() => table.append(key, numbers.slice(at, at + 100)));
    const walked: number[] = [];
    for (let found = before.seek(0); found !== LIST_END; found = before.seek(found + 1)) walked.push(found);
    assert.deepEqual(walked, numbers.slice(0, at));
  }
});
