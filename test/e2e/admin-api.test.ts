/** The Admin API of the whole program. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { AuditEntry } from '../../src/admin/api/audit-entry.ts';
import { readAuditFiles } from '../admin/api-support.ts';
import { askProgram, CHAIN_ID, DEVNET, postTo } from '../support/ask-program.ts';
import { Program, type ProgramConfig } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

const TOKEN = 'token-of-a-writer-0123';
const ADMIN = { port: 0, api: { operator: { role: 'write', token: TOKEN } } };

type Issued = { readonly key: string; readonly record: { readonly id: string } };

async function start(t: TestContext, config: ProgramConfig): Promise<Program> {
  const program = new Program({ admin: ADMIN, ...config });
  t.after(() => program.dispose());
  await program.start();
  return program;
}

type Reply = { readonly status: number; readonly value: unknown };

async function send(program: Program, method: string, path: string, json?: unknown): Promise<Reply> {
  const response = await fetch(`${program.adminUrl}/admin/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${TOKEN}`,
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  return { status: response.status, value: await response.json() };
}

async function call<T>(program: Program, method: string, path: string, json?: unknown): Promise<T> {
  const { status, value } = await send(program, method, path, json);
  assert.ok(status === 200 || status === 201, `${status}: ${JSON.stringify(value)}`);
  return value as T;
}

/** Sends a request on many new connections, so that each of two workers gets some. @returns the statuses that occurred */
async function listStatuses(program: Program, key: string): Promise<readonly number[]> {
  const requests = Array.from({ length: 24 }, async () => {
    return (await postTo(program.port, { method: 'eth_blockNumber', key })).status;
  });
  return [...new Set(await Promise.all(requests))].sort();
}

test('two workers see each change of a key', async (t) => {
  const program = await start(t, {
    networks: DEVNET,
    workers: 2,
    // The test sends many wrong keys.
    access: { failures: { perSecond: 10_000, burst: 100_000 } },
  });
  const { key, record } = await call<Issued>(program, 'POST', '/keys', { name: 'a' });
  assert.deepEqual(await listStatuses(program, key), [200]);
  await call(program, 'PATCH', `/keys/${record.id}`, { settings: { userAgents: ['no-such-agent'] } });
  await waitUntil(async () => `${await listStatuses(program, key)}` === '403');
  await call(program, 'PATCH', `/keys/${record.id}`, { settings: { userAgents: null } });
  await waitUntil(async () => `${await listStatuses(program, key)}` === '200');
  const rotated = await call<Issued>(program, 'POST', `/keys/${record.id}/rotate`, { grace: '0s' });
  await waitUntil(async () => `${await listStatuses(program, key)}` === '401');
  assert.deepEqual(await listStatuses(program, rotated.key), [200]);
  await call(program, 'POST', `/keys/${record.id}/revoke`, {});
  await waitUntil(async () => `${await listStatuses(program, rotated.key)}` === '401');
  const unknown = await send(program, 'POST', '/keys', { name: 'a', settings: { networks: ['devne'] } });
  assert.equal(unknown.status, 422);
  assert.match(JSON.stringify(unknown.value), /there is no network \\"devne\\".*devnet/);
});

test('after kill -9 the audit log has every acknowledged change, and every change that was made', async (t) => {
  const program = await start(t, { networks: DEVNET });
  const acknowledged: string[] = [];
  let isKilled = false;
  const create = async (worker: number): Promise<void> => {
    for (let i = 0; !isKilled; i++) {
      try {
        const { record } = await call<Issued>(program, 'POST', '/keys', { name: `key ${worker}-${i}` });
        acknowledged.push(record.id);
      } catch {
        return;
      }
    }
  };
  const creators = [1, 2, 3, 4].map(create);
  await waitUntil(() => acknowledged.length >= 20);
  program.signal('SIGKILL');
  await program.waitForExit();
  isKilled = true;
  await Promise.all(creators);
  await program.start();
  const log: AuditEntry[] = [];
  let before = '';
  do {
    type Page = { readonly entries: readonly AuditEntry[]; readonly next?: string };
    const page = await call<Page>(program, 'GET', `/audit?limit=50${before}`);
    log.push(...page.entries);
    before = page.next === undefined ? '' : `&before=${page.next}`;
  } while (before !== '');
  const done = new Set(log.filter(({ outcome }) => outcome === 'done').map(({ target }) => target));
  for (const id of acknowledged) assert.ok(done.has(`key ${id}`), `key ${id} was acknowledged`);
  // A key may have been made just before the kill: the log then has at least the beginning of the change.
  const begun = log.filter(({ outcome, target }) => outcome === 'begun' && target === 'new key').length;
  const { keys } = await call<{ keys: { name: string }[] }>(program, 'GET', '/keys');
  assert.ok(keys.length >= acknowledged.length);
  assert.ok(begun >= keys.length, `${begun} begun, ${keys.length} made`);
  await program.stop();
  assert.deepEqual(
    readAuditFiles(program.folder).map(({ change }) => change),
    log.map(({ change }) => change).toReversed(),
  );
});

test('a reload over the Admin API answers when the configuration is in force in each worker', async (t) => {
  const config = { admin: ADMIN, networks: DEVNET, workers: 2 };
  const program = await start(t, config);
  const { state } = await call<{ state: string }>(program, 'GET', '/health');
  assert.equal(state, 'healthy');
  const second = { builtin: 'devnet', hosts: ['second.localhost'] };
  program.configure({ ...config, networks: { ...DEVNET, second } });
  const applied = await call<{ changes: string[] }>(program, 'POST', '/reload', {});
  // The service may have noticed the change of the file itself.
  assert.ok([0, 1].includes(applied.changes.length));
  if (applied.changes.length === 1) assert.deepEqual(applied.changes, ['networks.second added']);
  for (let i = 0; i < 20; i++) assert.equal(await askProgram(program.port, 'second.localhost'), CHAIN_ID);
  program.configure({ ...config, networks: { ...DEVNET, second }, limits: { bodyBytes: 1_000 } });
  const refused = await send(program, 'POST', '/reload', {});
  assert.equal(refused.status, 409);
  assert.match(
    JSON.stringify(refused.value),
    /limits\.bodyBytes cannot change while the service runs: restart it/,
  );
  assert.deepEqual(await call(program, 'POST', '/cache/evict', {}), {});
  assert.equal((await send(program, 'POST', '/cache/evict', { network: 'nope' })).status, 404);
});
