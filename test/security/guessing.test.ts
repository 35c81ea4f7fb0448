/** Keys, secrets and tokens cannot be guessed by trying. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { startService } from '../support/service.ts';

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
const basic = (secret: string): string => `Basic ${Buffer.from(`:${secret}`).toString('base64')}`;
const wrong = (i: number): string => String(i % 10).repeat(32);

type Statuses = (key: string, authorization?: string, from?: string) => Promise<number>;

type Guarded = { readonly book: KeyBook; readonly ask: Statuses };

/** Starts a service that allows five guesses, behind a proxy that reports the client address. */
async function start(t: { after(close: () => Promise<void>): void }): Promise<Guarded> {
  const place = makeTemporaryFolder();
  const book = new KeyBook(new LmdbKeyTable(place.path));
  const service = await startService({
    ...listBuiltinNetworks(),
    listen: { host: '127.0.0.1', port: 0, trustedProxies: ['loopback'] },
    dataDir: place.path,
    access: { failures: { perSecond: 0.001, burst: 5 } },
  });
  t.after(async () => {
    await service.close();
    await book.close();
    place.remove();
  });
  const ask: Statuses = async (key, authorization, from = '192.0.2.1') => {
    const response = await fetch(`http://${service.authority}/v3/${key}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': from,
        ...(authorization !== undefined && { authorization }),
      },
      body: CALL,
    });
    await response.arrayBuffer();
    return response.status;
  };
  return { book, ask };
}

async function guess(times: number, one: (i: number) => Promise<number>): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let i = 0; i < times; i++) statuses.add(await one(i));
  return statuses;
}

test('the holder of a key cannot guess its secret', async (t) => {
  const { book, ask } = await start(t);
  const { key, secret = '' } = await book.create('guarded', {}, true);
  assert.equal(await ask(key, basic(secret), '192.0.2.7'), 200);
  await guess(8, (i) => ask(key, basic(wrong(i))));
  assert.deepEqual(await guess(5, (i) => ask(key, basic(wrong(i)))), new Set([429]));
  // The response does not reveal a correct secret either.
  const { key: other, secret: unseen = '' } = await book.create('unseen', {}, true);
  assert.equal(await ask(other, basic(unseen)), 429);
  assert.equal(await ask(key, basic(secret), '192.0.2.7'), 200);
});

test('recently used credentials are admitted from an address with too many guesses', async (t) => {
  const { book, ask } = await start(t);
  const { key, secret = '' } = await book.create('guarded', {}, true);
  const { key: plain } = await book.create('plain', {}, false);
  assert.equal(await ask(key, basic(secret)), 200);
  assert.equal(await ask(plain), 200);
  await guess(8, (i) => ask(key, basic(wrong(i))));
  assert.equal(await ask(key, basic(wrong(1))), 429);
  assert.equal(await ask(key, basic(secret)), 200);
  assert.equal(await ask(plain), 200);
});

test('guesses are counted per IPv4 address and per IPv6 /64', async (t) => {
  const { book, ask } = await start(t);
  await guess(12, (i) => ask(wrong(i), undefined, `2001:db8:0:1::${i + 1}`));
  assert.equal(await ask(wrong(1), undefined, '2001:db8:0:1:ffff::1'), 429);
  assert.equal(await ask(wrong(1), undefined, '2001:db8:0:2::1'), 401);
  const { key } = await book.create('elsewhere', {}, false);
  assert.equal(await ask(key, undefined, '2001:db8:0:2::1'), 200);
});
