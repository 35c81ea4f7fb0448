/** Usage of keys, counted by several processes and replicas, and by the client itself. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { WebSocket } from 'ws';
import { MAIN } from '../../scripts/program-files.ts';
import type { UsageView } from '../../src/admin/api/usage-view.ts';
import { REPORT_MS } from '../../src/shared-store/reports/report-outbox.ts';
import { openSocket, postText } from '../support/ask-program.ts';
import { Program, type ProgramConfig } from '../support/program.ts';
import { findRedisProgram, NO_REDIS_REASON, type RedisServer, startRedis } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';

const TOKEN = 'token-of-a-writer-0123';
const NETWORKS = {
  first: { builtin: 'devnet', hosts: ['first.localhost', '127.0.0.1'] },
  second: { builtin: 'devnet', hosts: ['second.localhost'] },
} as const;
type NetworkName = keyof typeof NETWORKS;

/** Credits of the methods of the load. */
const CREDITS: Readonly<Record<string, number>> = { eth_chainId: 3, eth_blockNumber: 5, eth_getBalance: 7 };
/** Credits of a method that does not exist. */
const UNKNOWN_CREDITS = 80;
const METHODS = ['eth_chainId', 'eth_blockNumber', 'eth_getBalance', 'eth_invented', 'invented\n,"'];
/** Codes of errors with which a limit refuses a call. */
const LIMIT_CODE = -32005;

type Key = { readonly key: string; readonly id: string };
type Reply = { readonly id: number; readonly error?: { readonly code: number } };
type Counts = { calls: number; refused: number; credits: number };

/** The client's own count of its calls. */
class OwnCount {
  readonly rows = new Map<string, Counts>();

  add(id: string, network: string, method: string, reply: Reply): void {
    const credits = CREDITS[method];
    const name = `${id} ${network} ${credits === undefined ? 'unknown' : method}`;
    const counts = this.rows.get(name) ?? { calls: 0, refused: 0, credits: 0 };
    this.rows.set(name, counts);
    counts.calls++;
    if (reply.error?.code === LIMIT_CODE) counts.refused++;
    else counts.credits += credits ?? UNKNOWN_CREDITS;
  }

  get total(): Counts {
    const total = { calls: 0, refused: 0, credits: 0 };
    for (const { calls, refused, credits } of this.rows.values()) {
      total.calls += calls;
      total.refused += refused;
      total.credits += credits;
    }
    return total;
  }
}

const ADDRESS = `0x${'00'.repeat(20)}`;

function createCall(method: string, id: number): object {
  return { jsonrpc: '2.0', id, method, params: method === 'eth_getBalance' ? [ADDRESS, 'latest'] : [] };
}

/** Sends single calls, batches, and messages of a WebSocket, and counts them. */
async function sendLoad(
  program: Program,
  { key, id }: Key,
  network: NetworkName,
  own: OwnCount,
): Promise<void> {
  const host = `${network}.localhost`;
  const count = (replies: Reply | readonly Reply[]): void => {
    for (const reply of [replies].flat())
      own.add(id, network, METHODS[reply.id % METHODS.length] as string, reply);
  };
  const calls = METHODS.map(createCall);
  const bodies = [...calls, calls, [...calls, ...calls.toReversed()]].map((body) => JSON.stringify(body));
  await Promise.all(
    bodies.map(async (body) => {
      const reply = await postText(program.port, body, { host, key });
      assert.ok([200, 429].includes(reply.status), JSON.stringify(reply.body));
      count(reply.body as Reply | readonly Reply[]);
    }),
  );
  const socket = await openSocket(program.port, key, host);
  for (const body of [calls[0], calls[3], calls]) count(await exchange(socket, JSON.stringify(body)));
  socket.close();
  await once(socket, 'close');
}

async function exchange(socket: WebSocket, text: string): Promise<Reply | readonly Reply[]> {
  const answered = once(socket, 'message');
  socket.send(text);
  const [data] = (await answered) as [Buffer];
  return JSON.parse(data.toString('utf8')) as Reply | readonly Reply[];
}

async function readUsage(program: Program, query = ''): Promise<UsageView> {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${program.adminUrl}/admin/v1/usage${query}`, { headers });
  assert.equal(response.status, 200);
  return (await response.json()) as UsageView;
}

async function createKey(program: Program, settings: object): Promise<Key> {
  const response = await fetch(`${program.adminUrl}/admin/v1/keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: '@wallet', settings }),
  });
  assert.equal(response.status, 201);
  const { key, record } = (await response.json()) as { key: string; record: { id: string } };
  return { key, id: record.id };
}

/** Returns rows by key, network and method. */
function nameRows({ rows }: UsageView): ReadonlyMap<string, Counts> {
  return new Map(
    rows.map(({ key, network, method, calls, refused, credits }) => [
      `${key} ${network} ${method}`,
      { calls, refused, credits },
    ]),
  );
}

async function runUsage(program: Program, ...options: readonly string[]): Promise<string> {
  const args = [MAIN, 'usage', '--config', program.configFile, ...options];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

async function start(t: TestContext, config: ProgramConfig): Promise<Program> {
  const access = { credits: CREDITS, ...(config['access'] as object | undefined) };
  const admin = { port: 0, api: { operator: { role: 'write', token: TOKEN } } };
  const program = new Program({ admin, networks: NETWORKS, ...config, access });
  t.after(() => program.dispose());
  await program.start();
  return program;
}

/** Creates a key without limits, and one whose calls are soon refused. */
async function createKeys(program: Program): Promise<readonly [Key, Key]> {
  return [await createKey(program, {}), await createKey(program, { rate: { perSecond: 1, burst: 5 } })];
}

async function sendToAll(programs: readonly Program[], keys: readonly Key[], own: OwnCount): Promise<void> {
  for (const program of programs) {
    for (const key of keys) {
      for (const network of ['first', 'second'] as const) await sendLoad(program, key, network, own);
    }
  }
}

/** Waits until a program reports the calls that the client counts, by key, network and method. */
async function expectUsage(program: Program, own: OwnCount): Promise<void> {
  await waitUntil(async () => (await readUsage(program, '?by=day')).total.calls >= own.total.calls).catch(
    () => {},
  );
  const view = await readUsage(program, '?by=key,network,method');
  assert.deepEqual(nameRows(view), own.rows);
  assert.deepEqual(view.total, own.total);
}

test('replicas with one data folder count exactly what the client counts, over a restart', async (t) => {
  const one = await start(t, { workers: 2 });
  const other = await start(t, { dataDir: one.folder });
  const own = new OwnCount();
  const keys = await createKeys(one);
  await sendToAll([one, other], keys, own);
  assert.ok(own.total.refused > 0);
  await expectUsage(one, own);
  await expectUsage(other, own);
  // Calls of the last interval are reported by each worker at its end.
  await sendToAll([one, other], keys, own);
  assert.deepEqual(await Promise.all([one.stop(), other.stop()]), [0, 0]);
  const stopped = JSON.parse(
    await runUsage(one, '--by', 'key,network,method', '--format', 'json'),
  ) as UsageView;
  assert.deepEqual(nameRows(stopped), own.rows);
  await one.start();
  await sendToAll([one], keys, own);
  await expectUsage(one, own);
  const [{ id }] = keys;
  const mine = await readUsage(one, `?key=${id}&network=second&method=unknown&by=method`);
  assert.deepEqual(mine.total, own.rows.get(`${id} second unknown`));
  const csv = await runUsage(one, '--format', 'csv', '--by', 'key', '--key', id);
  assert.match(csv, new RegExp(`^key,keyName,calls,refused,credits\n${id},'@wallet,\\d+,0,\\d+\n$`));
  assert.match(await runUsage(one), /^DAY +KEY +NAME +NETWORK +METHOD +CALLS +REFUSED +CREDITS\n/);
});

const NO_REDIS = findRedisProgram() === undefined && NO_REDIS_REASON;

test('replicas with one Valkey server count exactly, also while it does not reply', {
  skip: NO_REDIS,
}, async (t) => {
  const server: RedisServer = await startRedis();
  t.after(() => server.close());
  const access = { valkey: { url: `redis://127.0.0.1:${server.port}` } };
  const [one, other] = [await start(t, { access, workers: 2 }), await start(t, { access })];
  const programs = [one, other];
  const own = new OwnCount();
  const keys = await createKeys(one);
  await sendToAll(programs, keys, own);
  await expectUsage(other, own);
  // Commands that the server gets while it is frozen may be executed afterwards, although their outcome is unknown to the replicas.
  server.freeze();
  try {
    await sendToAll(programs, keys.slice(0, 1), own);
    await sleep(2 * REPORT_MS);
    await sendToAll(programs, keys.slice(0, 1), own);
    await waitForStore(one, 0);
    assert.deepEqual(
      (await one.readStatus()).verdict.problems.map(({ kind }) => kind),
      ['store'],
    );
  } finally {
    server.thaw();
  }
  await waitForStore(one, 1);
  await expectUsage(one, own);
  await sendToAll(programs, keys, own);
  assert.deepEqual(await Promise.all(programs.map((program) => program.stop())), [0, 0]);
  const stopped = JSON.parse(
    await runUsage(other, '--by', 'key,network,method', '--format', 'json'),
  ) as UsageView;
  assert.deepEqual(nameRows(stopped), own.rows);
});

/** Waits until the metric says whether the server of keys answers every process. */
async function waitForStore(program: Program, value: 0 | 1): Promise<void> {
  const line = `portcullis_shared_store_up ${value}\n`;
  await waitUntil(async () => (await program.readMetrics()).includes(line));
}
