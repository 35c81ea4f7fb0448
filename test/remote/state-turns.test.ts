import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { StateTurns } from '../../src/remote/state-turns.ts';
import { BOUNDS, limitOf } from '../../src/util/bounds.ts';
import { RequestScope } from '../../src/util/request-scope.ts';

const LIMIT_MS = 60_000;
const PER_SECOND = limitOf('state.keys');

function openScope(owner: string | undefined, limitMs: number = LIMIT_MS): RequestScope {
  const scope = new RequestScope(performance.now() + limitMs);
  scope.owner = owner;
  return scope;
}

const isBusy = (bound: string) => (error: unknown) =>
  error instanceof ChainError && error.kind === 'busy' && error.bound === bound;

test('a call that may have all that one may is never refused for want of pace where its key has none in work', async () => {
  const turns = new StateTurns(() => 0);
  const secondsLeft = (limitOf('call.provenKeys') - 2 * PER_SECOND) / PER_SECOND;
  // The default time limit of a call.
  assert.ok(secondsLeft < 5);
  await turns.pace(openScope('a'), 2 * PER_SECOND);
});

test('the keys of one owner come at a pace, and a call that would wait beyond its deadline is refused at once', async () => {
  let now = 1_000_000;
  const turns = new StateTurns(() => now);
  await turns.pace(openScope('a'), 2 * PER_SECOND);
  await assert.rejects(turns.pace(openScope('a', 1_000), 4 * PER_SECOND), isBusy('state.keys'));
  // What was refused has taken nothing: the same is due a second later.
  now += 1_000;
  await turns.pace(openScope('a', 100), PER_SECOND);
  await assert.rejects(turns.pace(openScope('a', 100), PER_SECOND), isBusy('state.keys'));
  // Another owner, and the service itself, do not wait for it.
  await turns.pace(openScope('b', 100), PER_SECOND);
  await turns.pace(openScope(undefined, 100), 100 * PER_SECOND);
});

test('an owner with any number of turns leaves room for another one', async () => {
  const turns = new StateTurns();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const begin = (owner: string): Promise<void> =>
    turns.run(openScope(owner), false, () => {
      begun.push(owner);
      return new Promise<void>((resolve) => void ends.push(resolve));
    });
  const all = Array.from({ length: 50 }, () => begin('a'));
  assert.ok(begun.length > 0 && begun.length < 8, `${begun.length} turns`);
  all.push(begin('b'), begin('c'));
  assert.deepEqual(begun.slice(-2), ['b', 'c']);
  while (begun.length < 52) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const end of ends) end();
  await Promise.all(all);
});

test('both bounds are in the table', () => {
  assert.equal(BOUNDS['state.turns'].error, 'busy');
  assert.equal(BOUNDS['state.keys'].error, 'busy');
});
