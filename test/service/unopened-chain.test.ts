import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { UnopenedChain } from '../../src/service/unopened-chain.ts';
import { RequestScope } from '../../src/util/request-scope.ts';

const LATEST = { kind: 'tag', tag: 'latest' } as const;

test('an unopened network refuses every call with the reason, without paths of local folders', () => {
  const chain = new UnopenedChain(
    'there is no chain store in /srv/portcullis/data/mine (genesis /srv/g.json)',
  );
  const outage = 'the network could not be opened: there is no chain store in mine (genesis g.json)';
  const refusal = new ChainError('misconfigured', outage);
  const scope = new RequestScope(Number.POSITIVE_INFINITY);
  assert.throws(() => chain.chainId, refusal);
  assert.throws(() => chain.blocks.getHeader(LATEST, scope), refusal);
  assert.throws(() => chain.transactions.send(new Uint8Array(), scope), refusal);
  assert.throws(() => chain.execution.call({ call: {}, block: LATEST }, scope), refusal);
  assert.throws(() => chain.request(), refusal);
  assert.deepEqual([chain.execution.callFastPath, chain.execution.callMany], [undefined, undefined]);
  assert.deepEqual([chain.isAnswerable, chain.heads.served], [false, undefined]);
  assert.equal(chain.describe().outage, outage);
});
