import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HotKeys } from '../../../../src/chains/local-execution/proven/hot-keys.ts';
import { RootTables } from '../../../../src/chains/local-execution/proven/root-tables.ts';

/** Counts the steps of Map iterators while `work` runs. */
function countSteps(work: () => void): number {
  const prototype = Object.getPrototypeOf(new Map().keys()) as { next: () => unknown };
  const { next } = prototype;
  let steps = 0;
  prototype.next = function (this: unknown) {
    steps++;
    return next.call(this);
  };
  try {
    work();
  } finally {
    prototype.next = next;
  }
  return steps;
}

/** Counts the calls of `Array.prototype.sort` while `work` runs. */
function countSorts(work: () => void): number {
  const { sort } = Array.prototype;
  let sorts = 0;
  Array.prototype.sort = function (...args: Parameters<typeof sort>) {
    sorts++;
    return sort.apply(this, args);
  };
  try {
    work();
  } finally {
    Array.prototype.sort = sort;
  }
  return sorts;
}

const nameOf = (at: number): string => `0x${at.toString(16).padStart(40, '0')}`;

test('HotKeys retains the newest keys of those read for the first time, however many came before', () => {
  const hot = new HotKeys();
  for (let at = 0; at < 20_000; at++) hot.noteRead(nameOf(at), undefined);
  // Reading a present key again does not move it.
  hot.noteRead(nameOf(20_000 - 6_144), undefined);
  const names = [...hot.rotate().accounts.keys()];
  assert.equal(names.length, 1_024);
  assert.ok(names.every((name) => Number(name) >= 20_000 - 6_144));
});

test('HotKeys retains the keys read at most heads, without sorting', () => {
  const hot = new HotKeys();
  const readAll = (from: number, count: number): void => {
    for (let at = from; at < from + count; at++) hot.noteRead(nameOf(at), undefined);
  };
  for (let head = 0; head < 3; head++) {
    readAll(0, 500);
    hot.rotate();
  }
  readAll(0, 500);
  readAll(20_000, 6_144);
  let names: readonly string[] = [];
  assert.equal(
    countSorts(() => {
      names = [...hot.rotate().accounts.keys()];
    }),
    0,
  );
  assert.equal(names.length, 1_024);
  assert.deepEqual(
    names.slice(0, 500).map(Number),
    Array.from({ length: 500 }, (_, at) => at),
  );
  assert.ok(names.slice(500).every((name) => Number(name) >= 20_000));
});

test('HotKeys and RootTables evict without iterating over other entries', () => {
  const hot = new HotKeys();
  for (let at = 0; at < 7_000; at++) hot.noteRead(nameOf(at), undefined);
  assert.equal(
    countSteps(() => {
      for (let at = 7_000; at < 8_000; at++) hot.noteRead(nameOf(at), undefined);
    }),
    0,
  );
  const tables = new RootTables<number>(100_000, 100);
  assert.equal(
    countSteps(() => {
      for (let at = 0; at < 1_000; at++) tables.set(nameOf(at), 'key', at);
    }),
    0,
  );
  assert.equal(tables.get(nameOf(999), 'key'), 999);
  assert.equal(tables.get(nameOf(0), 'key'), undefined);
  assert.ok(tables.bytes <= 100_000);
});

test('RootTables evicts the least recently used table first', () => {
  // 1,200 bytes hold three tables of one entry.
  const tables = new RootTables<number>(1_200, 100);
  for (const root of ['a', 'b', 'c']) tables.set(root, 'key', 1);
  assert.equal(tables.get('a', 'key'), 1);
  tables.set('d', 'key', 1);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((root) => tables.has(root)),
    [true, false, true, true],
  );
});
