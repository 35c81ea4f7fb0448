/** Shares of tool calls: slots of requests to the gateway, and bytes of its responses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayWork } from '../../src/mcp/gateway-work.ts';
import { limitOf } from '../../src/util/bounds.ts';
import { waitUntil } from '../support/wait-until.ts';

test('all tool calls together have a bounded number of requests in progress, and each gets some', async () => {
  const { signal } = new AbortController();
  const running: { readonly work: GatewayWork; end(): void }[] = [];
  const works = Array.from({ length: 20 }, () => new GatewayWork());
  let most = 0;
  let ended = 0;
  const served = new Set<GatewayWork>();
  const requests = works.flatMap((work) =>
    Array.from({ length: 10 }, () =>
      work.run(signal, async () => {
        served.add(work);
        await new Promise<void>((end) => running.push({ work, end }));
        ended++;
      }),
    ),
  );
  while (ended < requests.length) {
    await waitUntil(() => running.length > 0 || ended === requests.length);
    most = Math.max(most, running.length);
    for (const work of works) assert.ok(running.filter((one) => one.work === work).length <= 8);
    running.shift()?.end();
  }
  await Promise.all(requests);
  const limit = limitOf('mcp.gatewayRequests');
  assert.ok(most > limit / 2 && most <= limit, String(most));
  assert.equal(served.size, works.length);
});

test('a request that fails gives its slot back', async () => {
  const { signal } = new AbortController();
  const work = new GatewayWork();
  for (let i = 0; i < 20; i++)
    await assert.rejects(
      work.run(signal, () => Promise.reject(new Error('broken'))),
      /broken/,
    );
});

test('the responses of one tool call have at most half of the bytes, until it ends', () => {
  const [work, other] = [new GatewayWork(), new GatewayWork()];
  const half = limitOf('mcp.answerBytes') / 2;
  work.takeBytes(half);
  assert.throws(() => work.takeBytes(1), /bound: mcp\.answerBytes/);
  other.takeBytes(half / 2);
  work.end();
  other.end();
  const next = new GatewayWork();
  next.takeBytes(half);
  next.end();
});

test('requests that remain when a tool call has ended take nothing', async () => {
  const work = new GatewayWork();
  work.end();
  assert.throws(() => work.takeBytes(1), /has ended/);
  const { signal } = new AbortController();
  await assert.rejects(
    work.run(signal, () => assert.fail('a request was sent')),
    /has ended/,
  );
});
