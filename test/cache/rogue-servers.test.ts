import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { createRedisCache, type RedisCache } from '../../src/cache/redis-cache.ts';
import type { RedisFault } from '../../src/shared-store/redis/redis-client.ts';
import { findFreePort } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';
import { makeKey } from './keys.ts';
import { startRogueServer } from './rogue-server.ts';

const KEY = makeKey(1, '1:eth_call:[]');
const ANSWER = '"0x1234"';

function open(port: number, faults: RedisFault[]): RedisCache {
  return createRedisCache({
    url: `redis://127.0.0.1:${port}`,
    limitMs: 5,
    ttlMs: 60_000,
    prefix: 'test',
    entryBytes: 10_000,
    onFault: (fault) => faults.push(fault),
  });
}

/** Uses the cache until it has reported `count` faults; every read has to be a miss. */
async function useUntilFaults(cache: RedisCache, faults: RedisFault[], count: number): Promise<void> {
  await waitUntil(async () => {
    cache.set(KEY, ANSWER);
    assert.equal(await cache.get(KEY), undefined);
    return faults.length >= count;
  });
}

test('without a listening server every read misses synchronously', async () => {
  const faults: RedisFault[] = [];
  const cache = open(await findFreePort(), faults);
  await waitUntil(() => {
    cache.set(KEY, ANSWER);
    assert.equal(cache.get(KEY), undefined);
    return faults.length >= 3;
  });
  assert.deepEqual(new Set(faults), new Set(['unreachable']));
  await cache.close();
});

test('a server that never answers causes a few delayed misses, then synchronous misses', async () => {
  const faults: RedisFault[] = [];
  const server = await startRogueServer((socket) => socket.resume());
  const cache = open(server.port, faults);
  await waitUntil(async () => {
    assert.equal(await cache.get(KEY), undefined);
    return faults.filter((fault) => fault === 'timeout').length >= 3;
  });
  assert.equal(cache.get(KEY), undefined);
  // A hung connection is replaced, because the fault may lie in it and not in the server.
  await waitUntil(() => server.connections >= 2);
  await cache.close();
  await server.close();
});

test('a server that closes every connection causes only misses', async () => {
  const faults: RedisFault[] = [];
  const server = await startRogueServer((socket) => socket.once('data', () => socket.destroy()));
  const cache = open(server.port, faults);
  await useUntilFaults(cache, faults, 5);
  await cache.close();
  await server.close();
});

const GARBAGE: Readonly<Record<string, string | Buffer>> = {
  'a web server': 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n',
  'an array of impossible length': '*99999999999\r\n',
  'an array of great length': '*4000000000\r\n',
  'an announcement of terabytes': '$9999999999999\r\nabc',
  'a number': ':5\r\n',
  'a status': '+OK\r\n',
  'an error': '-LOADING server is loading\r\n',
  'an array': '*2\r\n$1\r\na\r\n$1\r\nb\r\n',
  'a value': `$${ANSWER.length}\r\n${ANSWER}\r\n`,
  'nulls that were not asked for': '$-1\r\n$-1\r\n$-1\r\n*-1\r\n',
  'half a line': '$12',
  // Pseudorandom bytes, the same in each run.
  'bytes without meaning': createHash('shake256', { outputLength: 5_000 }).update('no reply').digest(),
  zeros: Buffer.alloc(5_000),
};

for (const [kind, bytes] of Object.entries(GARBAGE)) {
  for (const [moment, serve] of [
    ['to a command', (socket: Socket) => void socket.on('data', () => socket.write(bytes))],
    [
      'before it is asked',
      (socket: Socket) => {
        socket.write(bytes);
        socket.on('data', () => socket.write(bytes));
      },
    ],
  ] as const) {
    test(`a server that sends ${kind} ${moment} causes only misses`, async () => {
      const faults: RedisFault[] = [];
      const server = await startRogueServer(serve);
      const cache = open(server.port, faults);
      await waitUntil(async () => {
        cache.set(KEY, ANSWER);
        assert.equal(await cache.get(KEY), undefined);
        return cache.misses >= 20 && faults.length >= 1;
      });
      await cache.close();
      await server.close();
    });
  }
}

test('an endless reply ends the connection', async () => {
  const faults: RedisFault[] = [];
  const piece = Buffer.alloc(65_536, 'x');
  const server = await startRogueServer((socket) => {
    const pour = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.resume().on('drain', pour);
    socket.write('$99999999999\r\n');
    pour();
  });
  const cache = open(server.port, faults);
  await waitUntil(() => server.connections >= 3);
  assert.equal(await cache.get(KEY), undefined);
  await cache.close();
  await server.close();
});
