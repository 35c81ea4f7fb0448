import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lru } from '../../src/util/lru.ts';

test('the least recently used entry is evicted first', () => {
  const lru = new Lru<string, number>(2, 1_000, () => 0);
  lru.set('a', 1);
  lru.set('b', 2);
  assert.equal(lru.get('a'), 1);
  lru.set('c', 3);
  assert.equal(lru.get('b'), undefined);
  assert.equal(lru.get('a'), 1);
  assert.equal(lru.get('c'), 3);
  assert.equal(lru.size, 2);
});

test('setting a key again replaces its value without an eviction', () => {
  const lru = new Lru<string, number>(2, 1_000, () => 0);
  lru.set('a', 1);
  lru.set('b', 2);
  lru.set('b', 3);
  assert.equal(lru.get('a'), 1);
  assert.equal(lru.get('b'), 3);
});

test('an entry expires after its time, however often it is read', () => {
  let now = 0;
  const lru = new Lru<string, number>(2, 1_000, () => now);
  lru.set('a', 1);
  now = 999;
  assert.equal(lru.get('a'), 1);
  now = 1_000;
  assert.equal(lru.get('a'), undefined);
  assert.equal(lru.size, 0);
});

test('delete and clear remove entries at once', () => {
  const lru = new Lru<string, undefined | number>(3, 1_000, () => 0);
  lru.set('a', 1);
  lru.set('b', 2);
  lru.delete('a');
  assert.equal(lru.get('a'), undefined);
  lru.clear();
  assert.equal(lru.size, 0);
  assert.throws(() => new Lru(0, 1), RangeError);
});

test('the capacity applies to the weights of the entries', () => {
  const lru = new Lru<string, number>(10, Number.POSITIVE_INFINITY, undefined, (value) => value);
  for (const [key, value] of [
    ['a', 4],
    ['b', 4],
    ['c', 5],
  ] as const) {
    lru.set(key, value);
  }
  assert.deepEqual([lru.get('a'), lru.get('b'), lru.get('c')], [undefined, 4, 5]);
  lru.set('d', 11);
  assert.equal(lru.get('d'), undefined);
  lru.set('b', 1);
  lru.set('e', 4);
  assert.deepEqual([lru.get('b'), lru.get('c'), lru.get('e')], [1, 5, 4]);
});

test('new entries evict those that were not read for one to two idle times', () => {
  let now = 0;
  const lru = new Lru<string, number>(1_000, { idleMs: 100 }, () => now);
  lru.set('read', 1);
  lru.set('idle', 1);
  for (now = 10; now <= 100; now += 10) {
    lru.set(`new ${now}`, 1);
    assert.equal(lru.get('read'), 1);
  }
  assert.equal(lru.size, 12);
  for (; now <= 210; now += 10) {
    lru.set(`new ${now}`, 1);
    assert.equal(lru.get('read'), 1);
  }
  assert.equal(lru.get('idle'), undefined);
  // Each of the two writes since then evicts two entries.
  assert.deepEqual([lru.get('new 30'), lru.get('new 40')], [undefined, 1]);
});

test('new entries evict expired ones, even if nobody requests those', () => {
  let now = 0;
  const lru = new Lru<number, number>(1_000_000, 100, () => now);
  for (; now < 10_000; now++) lru.set(now, now);
  assert.equal(lru.size, 100);
});
