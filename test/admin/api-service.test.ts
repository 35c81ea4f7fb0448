/** Reload, cache and health over the Admin API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdminRefusal } from '../../src/admin/refusal.ts';
import { readAuditFiles, startApi, TOKENS } from './api-support.ts';
import { createStatus } from './status-fixture.ts';

test('a reload answers with the options that changed, or with the reasons of its refusal', async (t) => {
  let answer: { outcome: 'applied'; changes: string[] } | { outcome: 'refused'; problems: string[] } = {
    outcome: 'applied',
    changes: ['networks.a added'],
  };
  const api = await startApi(t, { sources: { reload: async () => answer } });
  assert.deepEqual(await api.call('POST', '/reload', {}), { changes: ['networks.a added'] });
  answer = { outcome: 'refused', problems: ['portcullis.yaml:3: listen.port: expected a number'] };
  const refused = await api.send({ method: 'POST', path: '/admin/v1/reload', json: {} });
  assert.deepEqual(JSON.parse(refused.body), {
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    detail: 'the new configuration cannot be used; the previous one stays in force',
    problems: answer.problems,
  });
  const outcomes = readAuditFiles(api.folder).map(({ outcome, status }) => [outcome, status]);
  assert.deepEqual(outcomes, [
    ['begun', undefined],
    ['done', 200],
    ['begun', undefined],
    ['refused', 409],
  ]);
});

test('a service without a configuration file refuses a reload', async (t) => {
  const api = await startApi(t);
  const { status, body } = await api.send({ method: 'POST', path: '/admin/v1/reload', json: {} });
  assert.equal(status, 409);
  assert.match(body, /runs without a configuration file/);
});

test('the cache is evicted by network or as a whole, and a failure is in the audit log', async (t) => {
  const evicted: (string | undefined)[] = [];
  const api = await startApi(t, {
    sources: {
      async evictCache(network) {
        evicted.push(network);
        if (network === 'sepolia') throw new AdminRefusal(503, 'the shared cache does not answer');
        return network === undefined || network === 'mainnet';
      },
    },
  });
  assert.deepEqual(await api.call('POST', '/cache/evict', { network: 'mainnet' }), {});
  assert.deepEqual(await api.call('POST', '/cache/evict', {}), {});
  const send = async (network: string): Promise<number> =>
    (await api.send({ method: 'POST', path: '/admin/v1/cache/evict', json: { network } })).status;
  assert.equal(await send('nope'), 404);
  assert.equal(await send('sepolia'), 503);
  assert.equal(await send('no name'), 422);
  assert.deepEqual(evicted, ['mainnet', undefined, 'sepolia']);
  const ends = readAuditFiles(api.folder).filter(({ outcome }) => outcome !== 'begun');
  assert.deepEqual(
    ends.map(({ target, outcome }) => `${target}: ${outcome}`),
    ['cache of mainnet: done', 'cache: done', 'cache of sepolia: failed'],
  );
});

test('the health is the verdict of the service', async (t) => {
  const { verdict } = createStatus();
  const api = await startApi(t, { sources: { readHealth: async () => verdict } });
  const got = await api.send({ path: '/admin/v1/health', token: TOKENS.read });
  assert.deepEqual(JSON.parse(got.body), verdict);
});
