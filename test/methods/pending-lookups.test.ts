import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { PendingLookups } from '../../src/methods/pending-lookups.ts';
import { RequestScope } from '../../src/util/request-scope.ts';

type Source = ConstructorParameters<typeof PendingLookups>[0];
type Answer = (hash: string, scope: RequestScope) => Promise<string | null>;

function createSource(answer: Answer): { readonly source: Source; readonly requested: string[] } {
  const requested: string[] = [];
  const transactions = {
    getTransaction({ hash }: { readonly hash: string }, scope: RequestScope) {
      requested.push(hash);
      return answer(hash, scope);
    },
  };
  return { source: { transactions } as unknown as Source, requested };
}

const scopeOf = (): RequestScope => new RequestScope(performance.now() + 60_000);

test('a transaction is requested once for all listeners of a chain', async () => {
  const { source, requested } = createSource(async (hash) => `{"hash":"${hash}"}`);
  const all = Array.from({ length: 500 }, () => PendingLookups.of(source).find('0x1', scopeOf()));
  assert.deepEqual(new Set(await Promise.all(all)), new Set(['{"hash":"0x1"}']));
  assert.deepEqual(requested, ['0x1']);
  assert.equal(await PendingLookups.of(source).find('0x1', scopeOf()), '{"hash":"0x1"}');
  assert.equal(requested.length, 1);
});

test('at most 32 requests are in flight, and all look-ups complete', async () => {
  let running = 0;
  let most = 0;
  const { source, requested } = createSource(async () => {
    running++;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return null;
  });
  const lookups = PendingLookups.of(source);
  await Promise.all(Array.from({ length: 300 }, (_, i) => lookups.find(`0x${i}`, scopeOf())));
  assert.equal(most, 32);
  assert.equal(requested.length, 300);
});

test('a look-up beyond the maximum of waiting ones is refused with the name of the bound', async () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { source } = createSource(async () => {
    await opened;
    return null;
  });
  const lookups = PendingLookups.of(source);
  const waiting = Array.from({ length: 32 + 4_096 }, (_, i) => lookups.find(`0x${i}`, scopeOf()));
  await assert.rejects(lookups.find('0xmore', scopeOf()), (error) => {
    assert.ok(error instanceof ChainError && error.kind === 'busy' && error.bound === 'node.inFlight');
    return true;
  });
  open();
  await Promise.all(waiting);
});

test('a failure is reported to every waiting listener, and is not cached', async () => {
  let fails = true;
  const { source, requested } = createSource(async () => {
    if (fails) throw new ChainError('unavailable', 'no node');
    return '{}';
  });
  const lookups = PendingLookups.of(source);
  const outcomes = await Promise.allSettled([lookups.find('0x1', scopeOf()), lookups.find('0x1', scopeOf())]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  fails = false;
  assert.equal(await lookups.find('0x1', scopeOf()), '{}');
  assert.deepEqual(requested, ['0x1', '0x1']);
});

test('the trust level of an answer reaches the scope of each listener', async () => {
  const { source } = createSource(async (_, scope) => {
    scope.noteTrust('single');
    return '{}';
  });
  const scopes = [scopeOf(), scopeOf()];
  for (const scope of scopes) await PendingLookups.of(source).find('0x1', scope);
  assert.deepEqual(
    scopes.map(({ trust }) => trust),
    ['single', 'single'],
  );
});
