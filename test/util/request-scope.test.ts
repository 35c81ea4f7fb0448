import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestScope } from '../../src/util/request-scope.ts';

test('the signal follows an abort, whether it is read before or after', () => {
  const early = new RequestScope(10);
  assert.equal(early.signal.aborted, false);
  early.abort('gone');
  assert.equal(early.signal.reason, 'gone');
  const late = new RequestScope(10);
  late.abort('gone');
  assert.equal(late.aborted, true);
  assert.equal(late.signal.reason, 'gone');
});

test('only the first abort counts', () => {
  const scope = new RequestScope(10);
  scope.abort('first');
  scope.abort('second');
  assert.equal(scope.signal.reason, 'first');
});

test('a nested scope is aborted with its outer scope, at any depth, and has no later deadline', () => {
  const outer = new RequestScope(10);
  const middle = new RequestScope(20, outer);
  const inner = new RequestScope(5, middle);
  assert.deepEqual([middle.deadline, inner.deadline], [10, 5]);
  const { signal } = inner;
  outer.abort('gone');
  assert.equal(signal.aborted, true);
  assert.equal(signal.reason, 'gone');
  assert.equal(middle.signal.reason, 'gone');
  assert.equal(new RequestScope(1, middle).signal.reason, 'gone');
});

test('a nested scope is aborted alone', () => {
  const outer = new RequestScope(10);
  const inner = new RequestScope(10, outer);
  const sibling = new RequestScope(10, outer);
  const { signal } = sibling;
  inner.abort();
  assert.equal(outer.aborted, false);
  assert.equal(signal.aborted, false);
});

test('a released scope is detached from its outer scope', () => {
  const outer = new RequestScope(10);
  const inner = new RequestScope(10, outer);
  let heard = 0;
  inner.signal.addEventListener('abort', () => heard++);
  inner.release();
  outer.abort();
  assert.equal(heard, 0);
  assert.equal(inner.aborted, true);
});

test('listeners at any depth are called once for an abort, and not after their removal', () => {
  const outer = new RequestScope(10);
  const middle = new RequestScope(10, outer);
  const inner = new RequestScope(10, middle);
  const heard: string[] = [];
  const listen = (scope: RequestScope, name: string): (() => void) => {
    const listener = (): void => void heard.push(name);
    scope.signal.addEventListener('abort', listener);
    return () => scope.signal.removeEventListener('abort', listener);
  };
  const removals = ['a', 'b', 'c', 'd'].map((name) => listen(inner, name));
  listen(middle, 'middle');
  listen(outer, 'outer');
  removals[0]?.();
  removals[2]?.();
  outer.abort('gone');
  outer.abort('again');
  inner.abort('later');
  assert.deepEqual(heard.sort(), ['b', 'd', 'middle', 'outer']);
  assert.equal(inner.signal.reason, 'gone');
  listen(inner, 'late');
  inner.abort();
  assert.equal(heard.includes('late'), false);
});

test('a listener is called that was added after the removal of the last one', () => {
  const outer = new RequestScope(10);
  const inner = new RequestScope(10, outer);
  let heard = 0;
  const listener = (): void => void heard++;
  inner.signal.addEventListener('abort', listener);
  inner.signal.removeEventListener('abort', listener);
  inner.signal.addEventListener('abort', listener);
  inner.signal.addEventListener('abort', () => heard++);
  outer.abort();
  assert.equal(heard, 2);
});

test('messages name the time limit, never the time that was left', () => {
  const outer = new RequestScope(1_030_000, undefined, 1_000_000);
  assert.equal(outer.limitMs, 30_000);
  // A part of the work that begins after the deadline, or shortly before it, as on a busy machine.
  for (const now of [1_029_900, 1_037_800]) {
    assert.equal(new RequestScope(now + 5_000, outer, now).limitMs, 30_000);
    assert.equal(new RequestScope(now + 5_000, outer, now, 5_000).limitMs, 30_000);
    assert.ok(new RequestScope(1_030_000, undefined, now).limitMs >= 0);
  }
  assert.equal(new RequestScope(1_010_000, outer, 1_005_000).limitMs, 5_000);
  assert.equal(outer.derive({ deadline: 1_001_000 }).limitMs, 30_000);
});
