import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProofSlots } from '../../../../src/chains/local-execution/remote/proof-slots.ts';
import { BOUNDS } from '../../../../src/util/bounds.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';

const LIMIT_MS = 60_000;

function openScope(owner: string | undefined, limitMs: number = LIMIT_MS): RequestScope {
  const scope = new RequestScope(performance.now() + limitMs);
  scope.owner = owner;
  return scope;
}

test('an owner with any number of proofs leaves slots for other owners', async () => {
  const slots = new ProofSlots();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const begin = (owner: string): Promise<void> =>
    slots.run(openScope(owner), false, () => {
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

test('both bounds of proofs are in BOUNDS, with the error busy', () => {
  assert.equal(BOUNDS['state.turns'].error, 'busy');
  assert.equal(BOUNDS['state.keys'].error, 'busy');
});
