/** The filter poller continues with the same filter after a temporary error, and counts a filter that is gone. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { RpcError } from '../../src/rpc/errors.ts';
import { Random } from '../geth/requests/random.ts';
import { waitUntil } from '../support/wait-until.ts';
import { ForkChain } from './chain/fork-chain.ts';
import { FilterPoller } from './clients/filter-poller.ts';

const ANSWERED_MS = 60_000;

test('temporary errors are retried with the same filter, and a missing filter counts as a fault', async () => {
  const away = new RpcError('recordsUnavailable').message;
  const gone = 'filter not found: it was removed';
  const answers = ['0x1', [], { code: -32603, message: away }, [], { code: -32000, message: gone }, '0x2'];
  const requested: unknown[] = [];
  const server = createServer(async (request, response) => {
    const { method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const answer = answers[requested.length] ?? [];
    requested.push([method, ...params]);
    const isError = typeof answer === 'object' && 'code' in answer;
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, [isError ? 'error' : 'result']: answer }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const poller = new FilterPoller(
    'filter',
    undefined,
    { programs: [{ port }], path: '/', killedAt: -Infinity, store: undefined },
    () => undefined,
  );
  poller.start();
  try {
    await waitUntil(() => requested.length > answers.length, ANSWERED_MS);
  } finally {
    await poller.stop();
    server.close();
  }
  const poll = (id: string): string[] => ['eth_getFilterChanges', id];
  const made = ['eth_newBlockFilter'];
  assert.deepEqual(requested.slice(0, 7), [made, ...Array(4).fill(poll('0x1')), made, poll('0x2')]);
  assert.deepEqual([...poller.refusals], [[away, 1]]);
  assert.deepEqual(poller.made, 2);
  const { faults, complaints } = poller.check(new ForkChain(new Random(1, 0)).head);
  assert.equal(faults.refused, 1);
  assert.match(complaints.join(), /filter not found/);
});
