/** Keys over the Admin API: the operations of `portcullis keys`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { hashApiKey } from '../../src/access/keys/api-key.ts';
import type { KeyDescription } from '../../src/access/keys/describe-key.ts';
import { readAuditFiles, startApi, TOKENS } from './api-support.ts';

type Issued = { readonly key: string; readonly secret?: string; readonly record: KeyDescription };

const SETTINGS = {
  networks: ['mainnet'],
  methods: ['eth_call'],
  addresses: [`0x${'AB'.repeat(20)}`],
  origins: ['https://*.example.org'],
  userAgents: ['curl'],
  send: false,
  rate: { perSecond: 5, burst: 10 },
  dailyCredits: 1_000,
  expiresAt: '2990-01-01T00:00:00.000Z',
};

test('a key is created with its settings, and shown without its values', async (t) => {
  const api = await startApi(t);
  const { key, secret, record } = await api.call<Issued>('POST', '/keys', {
    name: 'wallet',
    secret: true,
    settings: SETTINGS,
  });
  assert.match(key, /^[0-9a-f]{32}$/);
  assert.match(secret ?? '', /^[0-9a-f]{32}$/);
  const settings = { ...SETTINGS, addresses: [`0x${'ab'.repeat(20)}`], secret: true };
  assert.deepEqual(record.settings, settings);
  const stored = await api.book.find(record.id);
  assert.equal(stored?.hashes[0]?.hash, hashApiKey(key));
  assert.equal(stored?.settings.secretHash, hashApiKey(secret ?? ''));
  assert.deepEqual(await api.call('GET', `/keys/${record.id}`), record);
  const { keys } = await api.call<{ keys: KeyDescription[] }>('GET', '/keys');
  assert.deepEqual(keys, [record]);
  assert.equal(record.state, 'open');
  assert.deepEqual(record.keys, [{ isCurrent: true }]);
});

test('name and single settings change, and null removes a setting', async (t) => {
  const api = await startApi(t);
  const { record } = await api.call<Issued>('POST', '/keys', { name: 'wallet', settings: SETTINGS });
  const changed = await api.call<KeyDescription>('PATCH', `/keys/${record.id}`, {
    name: 'wallet 2',
    settings: { rate: null, networks: ['sepolia'], send: null },
  });
  const { rate: _, send: __, ...rest } = record.settings;
  assert.equal(changed.name, 'wallet 2');
  assert.deepEqual(changed.settings, { ...rest, networks: ['sepolia'] });
  const refused = await api.send({ method: 'PATCH', path: `/admin/v1/keys/${record.id}`, json: {} });
  assert.equal(refused.status, 422);
  assert.match(refused.body, /expected a name, or a setting to change/);
  const foreign = { settings: { networks: ['nope'] } };
  const unknown = await api.send({ method: 'PATCH', path: `/admin/v1/keys/${record.id}`, json: foreign });
  assert.equal(unknown.status, 422);
  assert.match(unknown.body, /there is no network nope/);
  assert.deepEqual(await api.call('GET', `/keys/${record.id}`), changed);
});

test('a rotation keeps the old value for its grace, and a revocation is final', async (t) => {
  const api = await startApi(t);
  const first = await api.call<Issued>('POST', '/keys', { name: 'wallet' });
  const path = `/keys/${first.record.id}`;
  const second = await api.call<Issued>('POST', `${path}/rotate`, { grace: '1h' });
  assert.notEqual(second.key, first.key);
  assert.equal(second.record.keys.length, 2);
  assert.equal(second.record.keys[1]?.isCurrent, false);
  assert.ok(Date.parse(second.record.keys[1]?.validUntil ?? '') > Date.now());
  const third = await api.call<Issued>('POST', `${path}/rotate`, { grace: '1ms' });
  await wait(5);
  const revoked = await api.call<KeyDescription>('POST', `${path}/revoke`, {});
  assert.equal(revoked.state, 'revoked');
  assert.equal(typeof revoked.revokedAt, 'string');
  assert.deepEqual(await api.call('POST', `${path}/revoke`, {}), revoked);
  const rotated = await api.send({ method: 'POST', path: `/admin/v1${path}/rotate`, json: {} });
  assert.equal(rotated.status, 409);
  assert.match(rotated.body, /the key was revoked at /);
  assert.deepEqual(await api.call('GET', path), revoked);
  assert.ok(third.key !== second.key);
  for (const sub of ['', '/rotate', '/revoke']) {
    const unknown = { path: `/admin/v1/keys/000000000000${sub}`, method: sub === '' ? 'GET' : 'POST' };
    const got = await api.send({ ...unknown, ...(sub !== '' && { json: {} }) });
    assert.equal(got.status, 404);
    assert.match(got.body, /no key has this id/);
  }
});

test('each change has two lines in the audit log, and a page ends where the next begins', async (t) => {
  const api = await startApi(t);
  const { record } = await api.call<Issued>('POST', '/keys', { name: 'wallet' });
  await api.call('PATCH', `/keys/${record.id}`, {
    name: 'other',
    settings: { rate: { perSecond: 5, burst: 10 }, origins: null },
  });
  await api.send({ method: 'POST', path: '/admin/v1/keys/000000000000/revoke', json: {} });
  const entries = readAuditFiles(api.folder);
  const shown = entries.map(({ route, target, outcome, status }) => [route, target, outcome, status]);
  assert.deepEqual(shown, [
    ['POST /admin/v1/keys', 'new key', 'begun', undefined],
    ['POST /admin/v1/keys', `key ${record.id}`, 'done', 201],
    ['PATCH /admin/v1/keys/{id}', `key ${record.id}`, 'begun', undefined],
    ['PATCH /admin/v1/keys/{id}', `key ${record.id}`, 'done', 200],
    ['POST /admin/v1/keys/{id}/revoke', 'key 000000000000', 'begun', undefined],
    ['POST /admin/v1/keys/{id}/revoke', 'key 000000000000', 'refused', 404],
  ]);
  assert.ok(entries.every(({ credential, role }) => credential === 'operator' && role === 'write'));
  assert.ok(entries.every(({ address }) => address === '127.0.0.1'));
  const changed = ['name', 'settings.rate', 'settings.origins'];
  const members = entries.map((entry) => entry.members);
  assert.deepEqual(members, [['name'], ['name'], changed, changed, [], []]);
  assert.equal(new Set(entries.map(({ change }) => change)).size, 3);
  const pages: unknown[] = [];
  let before = '';
  for (let page = 0; page < 3; page++) {
    const got = await api.send({ path: `/admin/v1/audit?limit=2${before}`, token: TOKENS.read });
    const { entries: some, next } = JSON.parse(got.body) as { entries: unknown[]; next?: string };
    assert.equal(some.length, 2);
    assert.equal(next === undefined, page === 2);
    pages.push(...some);
    before = `&before=${next}`;
  }
  assert.deepEqual(pages, entries.toReversed());
  for (const query of ['limit=0', 'limit=501', 'limit=x', 'before=nowhere'])
    assert.equal((await api.send({ path: `/admin/v1/audit?${query}` })).status, 400, query);
});

test('a change without required members needs no body', async (t) => {
  const api = await startApi(t);
  const { record } = await api.call<Issued>('POST', '/keys', { name: 'wallet' });
  const path = `/admin/v1/keys/${record.id}`;
  assert.equal((await api.send({ method: 'POST', path: `${path}/rotate` })).status, 200);
  const revoked = await api.send({ method: 'POST', path: `${path}/revoke` });
  assert.equal(revoked.status, 200);
  assert.equal((JSON.parse(revoked.body) as KeyDescription).state, 'revoked');
  const nameless = await api.send({ method: 'POST', path: '/admin/v1/keys' });
  assert.equal(nameless.status, 422);
  assert.match(nameless.body, /name: /);
  const form = await api.send({ method: 'POST', path: `${path}/revoke`, body: 'a=b' });
  assert.equal(form.status, 415);
});

test('the list of keys is read in pages, oldest key first', async (t) => {
  const api = await startApi(t);
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    ids.push((await api.call<Issued>('POST', '/keys', { name })).record.id);
    await wait(2);
  }
  type Page = { readonly keys: readonly KeyDescription[]; readonly next?: string };
  const pages: string[][] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { keys, next }: Page = await api.call<Page>('GET', `/keys?limit=2${after}`);
    pages.push(keys.map(({ id }) => id));
    after = next && `&after=${next}`;
  }
  assert.deepEqual(pages, [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  assert.equal((await api.call<Page>('GET', '/keys')).keys.length, 5);
  const last = await api.call<Page>('GET', `/keys?after=${ids[4]}`);
  assert.deepEqual(last, { keys: [] });
  for (const query of ['limit=0', 'limit=1001', 'after=x', 'after=000000000000'])
    assert.equal((await api.send({ path: `/admin/v1/keys?${query}` })).status, 400, query);
});
