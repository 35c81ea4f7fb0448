/** The credential of a request, as the Admin API describes it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApi, TOKENS } from './api-support.ts';

test('each credential learns its own name and role, and nothing of others', async (t) => {
  const api = await startApi(t);
  for (const [token, expected] of [
    [TOKENS.read, { name: 'auditor', role: 'read' }],
    [TOKENS.write, { name: 'operator', role: 'write' }],
  ] as const) {
    const { status, body } = await api.send({ path: '/admin/v1/credential', token });
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(body), expected);
  }
});
