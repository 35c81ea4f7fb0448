/** Files of the audit log. */
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { AuditEntry } from '../../src/admin/api/audit-entry.ts';
import { AuditLog } from '../../src/admin/api/audit-log.ts';
import { AdminRefusal } from '../../src/admin/refusal.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { startApi } from './api-support.ts';

function makeDataDir(t: TestContext): string {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  return folder.path;
}

function makeEntry(number: number): AuditEntry {
  return {
    change: `${number}`,
    time: '2026-01-01T00:00:00.000Z',
    credential: 'operator',
    role: 'write',
    address: '127.0.0.1',
    route: 'POST /admin/v1/keys',
    target: 'key 000000000000',
    members: ['name'],
    outcome: 'begun',
  };
}

const listChanges = (entries: readonly AuditEntry[]): number[] => entries.map(({ change }) => Number(change));

test('the audit log continues after a restart, after a line that a kill cut short', async (t) => {
  const folder = join(makeDataDir(t), 'audit');
  const first = new AuditLog({ folder });
  await first.append(makeEntry(1));
  const [file = ''] = readdirSync(folder);
  assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600);
  appendFileSync(join(folder, file), '{"change":"cut sh');
  const second = new AuditLog({ folder });
  await Promise.all([2, 3, 4].map((number) => second.append(makeEntry(number))));
  assert.deepEqual(readdirSync(folder), [file]);
  const { entries, next } = await second.read(10, undefined);
  assert.deepEqual(listChanges(entries), [4, 3, 2, 1]);
  assert.equal(next, undefined);
  await first.close();
  await second.close();
});

test('a line that a full disk cut short does not take the next line with it', async (t) => {
  const folder = join(makeDataDir(t), 'audit');
  const log = new AuditLog({ folder });
  t.after(() => log.close());
  await log.append(makeEntry(1));
  const [file = ''] = readdirSync(folder);
  const handle = await open(join(folder, file));
  const methods = Object.getPrototypeOf(handle) as Pick<FileHandle, 'appendFile' | 'datasync'>;
  await handle.close();
  const fail = (): never => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };
  const full = t.mock.method(methods, 'appendFile', async (line: string) => {
    appendFileSync(join(folder, file), line.slice(0, 20));
    fail();
  });
  await assert.rejects(log.append(makeEntry(2)), AdminRefusal);
  full.mock.restore();
  await log.append(makeEntry(3));
  // A line whose sync failed is not acknowledged either.
  const unsynced = t.mock.method(methods, 'datasync', async () => fail());
  await assert.rejects(log.append(makeEntry(4)), AdminRefusal);
  unsynced.mock.restore();
  await log.append(makeEntry(5));
  const { entries } = await log.read(10, undefined);
  assert.deepEqual(listChanges(entries), [5, 4, 3, 1]);
  assert.deepEqual(readdirSync(folder), [file]);
});

test('the audit log keeps its newest files only, and pages cross files', async (t) => {
  const folder = join(makeDataDir(t), 'audit');
  const log = new AuditLog({ folder, fileBytes: 400, maxFiles: 4 });
  t.after(() => log.close());
  for (let number = 0; number < 50; number++) await log.append(makeEntry(number));
  const files = readdirSync(folder);
  assert.equal(files.length, 4);
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(bytes < 4 * (400 + JSON.stringify(makeEntry(49)).length + 1));
  const { entries: all } = await log.read(500, undefined);
  assert.deepEqual(
    listChanges(all),
    all.map((_, i) => 49 - i),
  );
  assert.ok(all.length > 6, `${all.length} entries`);
  const paged: AuditEntry[] = [];
  let before: string | undefined;
  do {
    const page = await log.read(1, before);
    paged.push(...page.entries);
    before = page.next;
  } while (before !== undefined);
  assert.deepEqual(paged, all);
});

test('processes that share an audit log lose no lines', async (t) => {
  const folder = join(makeDataDir(t), 'audit');
  const logs = [1, 2].map(() => new AuditLog({ folder, fileBytes: 1_000, maxFiles: 100 }));
  t.after(() => Promise.all(logs.map((log) => log.close())));
  const numbers = Array.from({ length: 60 }, (_, i) => i);
  await Promise.all(numbers.map((number) => logs[number % 2]?.append(makeEntry(number))));
  const { entries } = (await logs[0]?.read(500, undefined)) ?? { entries: [] };
  assert.deepEqual(
    listChanges(entries).sort((a, b) => a - b),
    numbers,
  );
});

test('a change is refused, and not made, if the audit log cannot be written', async (t) => {
  const api = await startApi(t);
  // A file has the name of the folder.
  writeFileSync(join(api.folder, 'audit'), '');
  const { status, body } = await api.send({ method: 'POST', path: '/admin/v1/keys', json: { name: 'a' } });
  assert.equal(status, 503);
  assert.match(body, /the audit log cannot be written: /);
  assert.deepEqual(await api.book.list(), []);
  rmSync(join(api.folder, 'audit'));
  await api.call('POST', '/keys', { name: 'a' });
  assert.equal((await api.book.list()).length, 1);
});
