/** Outcomes of changes while the audit log or a process of the service fails. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AuditLog } from '../../src/admin/api/audit-log.ts';
import { AdminRefusal } from '../../src/admin/refusal.ts';
import { readAuditFiles, startApi } from './api-support.ts';

const NODE = { network: 'mainnet', node: 'a' };
const VIEW = { ...NODE, state: 'excluded', isCordoned: true, inFlight: 0 } as const;

/** Makes the audit log fail on all lines but those that begin changes. */
function breakOutcomes(t: TestContext): void {
  const { append } = AuditLog.prototype;
  t.mock.method(AuditLog.prototype, 'append', async function (this: AuditLog, entry: { outcome: string }) {
    if (entry.outcome !== 'begun') throw new AdminRefusal(503, 'the audit log cannot be written: disk full');
    return append.call(this, entry as Parameters<typeof append>[0]);
  });
}

test('a change whose outcome cannot be logged is not denied', async (t) => {
  const api = await startApi(t);
  breakOutcomes(t);
  const made = await api.send({ method: 'POST', path: '/admin/v1/keys', json: { name: 'a' } });
  assert.equal(made.status, 500);
  const text = 'the change was made, but its outcome is not in the audit log';
  assert.equal(JSON.parse(made.body).detail, text);
  assert.equal((await api.book.list()).length, 1);
  assert.ok(api.lines.some((line) => line.includes(text)));
  // The reason of a refusal reaches the client, whatever the log does.
  const refused = await api.send({
    method: 'POST',
    path: '/admin/v1/nodes/uncordon',
    json: { network: 'mainnet', node: 'nope' },
  });
  assert.equal(refused.status, 404);
  assert.ok(
    api.lines.some((line) => line.includes('a change failed, and its outcome is not in the audit log')),
  );
});

test('a key that is sent in the place of an id or of a node gets 404, and not into the audit log', async (t) => {
  const api = await startApi(t);
  const { key } = await api.call<{ key: string }>('POST', '/keys', { name: 'a' });
  const named = { name: key, settings: { networks: [key] } };
  assert.equal((await api.send({ method: 'POST', path: '/admin/v1/keys', json: named })).status, 422);
  for (const [method, path, json] of [
    ['POST', '/cache/evict', { network: key }],
    ['POST', `/keys/${key}/revoke`, {}],
    ['POST', `/keys/${key}/rotate`, {}],
    ['PATCH', `/keys/${key}`, { name: 'b' }],
    ['POST', '/nodes/cordon', { network: 'mainnet', node: `https://host/${key}` }],
    ['POST', '/nodes/drain', { network: key, node: 'a' }],
    ['POST', '/nodes/uncordon', { network: 'mainnet', node: key }],
  ] as const) {
    const { status } = await api.send({ method, path: `/admin/v1${path}`, json });
    assert.equal(status, 404, path);
  }
  const entries = readAuditFiles(api.folder);
  assert.ok(!JSON.stringify(entries).includes(key));
  assert.ok(!api.lines.join('').includes(key));
  const unknown = entries.filter(({ target }) => target === 'node (unknown)');
  assert.deepEqual(
    unknown.map(({ outcome }) => outcome),
    ['begun', 'refused', 'begun', 'refused', 'begun', 'refused'],
  );
});

test('a cordon stands if the node cannot be read afterwards', async (t) => {
  const api = await startApi(t, {
    sources: {
      listNodes: () => Promise.reject(new AdminRefusal(503, 'a worker did not answer in time')),
      cordon: async () => ({ outcome: 'done' }),
      uncordon: async () => ({ outcome: 'done' }),
    },
  });
  assert.deepEqual(await api.call('POST', '/nodes/cordon', NODE), { ...NODE, isCordoned: true });
  assert.deepEqual(await api.call('POST', '/nodes/uncordon', NODE), { ...NODE, isCordoned: false });
  const drained = await api.call('POST', '/nodes/drain', { ...NODE, timeout: '0s' });
  assert.deepEqual(drained, { node: { ...NODE, isCordoned: true }, isDrained: false });
  const ends = readAuditFiles(api.folder).filter(({ outcome }) => outcome !== 'begun');
  assert.deepEqual(
    ends.map(({ target, outcome }) => `${target}: ${outcome}`),
    ['node mainnet/a: done', 'node mainnet/a: done', 'node mainnet/a: done'],
  );
});

test('a failed check of a drain does not count as quiet', async (t) => {
  let checks = 0;
  const api = await startApi(t, {
    sources: {
      listNodes: async () => {
        // The first reading names the node for the audit log.
        if (++checks % 2 === 1 && checks < 6) throw new AdminRefusal(503, 'a worker did not answer in time');
        return [VIEW];
      },
      cordon: async () => ({ outcome: 'done' }),
    },
  });
  assert.deepEqual(await api.call('POST', '/nodes/drain', NODE), { node: VIEW, isDrained: true });
  assert.equal(checks, 7);
});
