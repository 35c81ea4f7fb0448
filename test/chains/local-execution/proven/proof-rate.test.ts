import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError } from '../../../../src/chain/errors.ts';
import { ProofRate } from '../../../../src/chains/local-execution/proven/proof-rate.ts';
import { limitOf } from '../../../../src/util/bounds.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';

const LIMIT_MS = 60_000;
const PER_SECOND = limitOf('state.keys');

function openScope(owner: string | undefined, limitMs: number = LIMIT_MS): RequestScope {
  const scope = new RequestScope(performance.now() + limitMs);
  scope.owner = owner;
  return scope;
}

function isBusy(error: unknown): boolean {
  return error instanceof ChainError && error.kind === 'busy' && error.bound === 'state.keys';
}

test('a call with the maximum number of keys is not refused if its owner has no other call', async () => {
  const pace = new ProofRate(() => 0);
  const secondsLeft = (limitOf('call.provenKeys') - 2 * PER_SECOND) / PER_SECOND;
  // 5 s is the default time limit of a call.
  assert.ok(secondsLeft < 5);
  await pace.take(openScope('a'), 2 * PER_SECOND);
});

test('keys of one owner are limited by rate, and a call that would wait past its deadline is refused at once', async () => {
  let now = 1_000_000;
  const pace = new ProofRate(() => now);
  await pace.take(openScope('a'), 2 * PER_SECOND);
  await assert.rejects(pace.take(openScope('a', 1_000), 4 * PER_SECOND), isBusy);
  // A refused take consumes nothing: the same number of keys is available one second later.
  now += 1_000;
  await pace.take(openScope('a', 100), PER_SECOND);
  await assert.rejects(pace.take(openScope('a', 100), PER_SECOND), isBusy);
  // Other owners and the service itself are not delayed by it.
  await pace.take(openScope('b', 100), PER_SECOND);
  await pace.take(openScope(undefined, 100), 100 * PER_SECOND);
});

test('a call without time left fails because of its time limit, not because of the rate', async () => {
  const pace = new ProofRate();
  const late = new RequestScope(performance.now() - 7_800, undefined, performance.now() - 12_800);
  late.owner = 'a';
  const isTimeout = (error: unknown): boolean =>
    error instanceof ChainError &&
    error.kind === 'timeout' &&
    error.message === 'execution aborted (timeout = 5s) (bound: call.time)';
  await assert.rejects(pace.take(late, 1), isTimeout);
});
