/** The real program with traces on, before a node that records its requests, and a receiver in a separate process. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { MAIN } from '../../scripts/program-files.ts';
import { KeyBook } from '../../src/access/keys/key-book.ts';
import { LmdbKeyTable } from '../../src/access/keys/lmdb-key-table.ts';
import { startNode } from '../support/served-node.ts';

type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
};

const SERVER = 2;
const INTERNAL = 1;
const CLIENT = 3;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

function launch(t: TestContext, script: string, args: readonly string[] = []): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function startReceiver(t: TestContext): Promise<{ port: number; spans: ReceivedSpan[] }> {
  const child = launch(t, join(import.meta.dirname, '../support/otlp-receiver.js'));
  const spans: ReceivedSpan[] = [];
  const port = await new Promise<number>((resolve) => {
    let isFirst = true;
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (isFirst) resolve(Number(line));
      else spans.push(JSON.parse(line) as ReceivedSpan);
      isFirst = false;
    });
  });
  return { port, spans };
}

type Program = { readonly port: number; readonly key: string; stop(): Promise<string> };

async function startProgram(t: TestContext, upstream: string, tracing: object): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-traces-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const store = new KeyBook(new LmdbKeyTable(folder));
  const { key } = await store.create('tracer', {}, false);
  await store.close();
  const config = {
    listen: { host: '127.0.0.1', port: 0 },
    dataDir: folder,
    networks: { nodes: { hosts: ['nodes.localhost'], upstreams: [upstream] } },
    tracing,
  };
  const file = join(folder, 'config.yaml');
  writeFileSync(file, JSON.stringify(config));
  const child = launch(t, MAIN, ['serve', '--config', file]);
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the program ended: ${log}`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const [, found] = /listens on 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    port,
    key,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return log;
    },
  };
}

function post({ port, key }: Program, body: unknown, traceParent?: string): Promise<string> {
  const headers = {
    host: 'nodes.localhost',
    'content-type': 'application/json',
    ...(traceParent !== undefined && { traceparent: traceParent }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method: 'POST', path: `/v3/${key}`, headers },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

const callTo = (data: string, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_call',
  params: [{ to: `0x${'11'.repeat(20)}`, data }, 'latest'],
});

test('a trace continues from the client through the program to the node', async (t) => {
  const seen: (string | undefined)[] = [];
  const node = await startNode(t, {
    respond(incoming) {
      seen.push(incoming.headers['traceparent'] as string | undefined);
      return false;
    },
  });
  const receiver = await startReceiver(t);
  const program = await startProgram(t, node.url, {
    endpoint: `http://127.0.0.1:${receiver.port}/v1/traces`,
    headers: { 'x-receiver-key': 'letmein' },
    sample: 0,
  });
  seen.length = 0;

  await post(program, callTo('0x01'), `00-${TRACE}-${PARENT}-01`);
  await post(
    program,
    [callTo('0x02', 1), callTo('0x60006000fd', 2), callTo('0x01', 3)],
    `00-${TRACE}-${PARENT}-01`,
  );
  const unrecorded = `00-${TRACE.replace('0', '1')}-${PARENT}-00`;
  await post(program, callTo('0x03'), unrecorded);
  await post(program, callTo('0x04'), 'nonsense');
  await post(program, callTo('0x05'));
  const log = await program.stop();
  assert.doesNotMatch(log, /could not be exported/);

  const { spans } = receiver;
  assert.deepEqual([...new Set(spans.map(({ traceId }) => traceId))], [TRACE]);
  const servers = spans.filter(({ kind }) => kind === SERVER);
  assert.deepEqual(
    servers.map(({ parentSpanId, attributes }) => [parentSpanId, attributes['portcullis.calls']]),
    [
      [PARENT, 1],
      [PARENT, 3],
    ],
  );
  assert.equal(servers[0]?.resource['service.name'], 'portcullis');
  const [single, batch] = servers;
  const calls = spans.filter(({ kind }) => kind === INTERNAL);
  const describe = ({ parentSpanId, name, attributes }: ReceivedSpan): unknown[] => [
    parentSpanId === single?.spanId ? 'single' : parentSpanId === batch?.spanId ? 'batch' : 'none',
    name,
    attributes['rpc.system'],
    attributes['portcullis.network'],
    attributes['portcullis.source'],
    attributes['portcullis.outcome'],
  ];
  assert.deepEqual(calls.map(describe).sort(), [
    ['batch', 'eth_call', 'jsonrpc', 'nodes', 'cache', 'ok'],
    ['batch', 'eth_call', 'jsonrpc', 'nodes', 'upstream', 'executionReverted'],
    ['batch', 'eth_call', 'jsonrpc', 'nodes', 'upstream', 'ok'],
    ['single', 'eth_call', 'jsonrpc', 'nodes', 'upstream', 'ok'],
  ]);

  const requests = spans.filter(({ kind, name }) => kind === CLIENT && name === 'eth_call');
  assert.equal(requests.length, 3);
  for (const { parentSpanId, attributes } of requests) {
    assert.ok(calls.some((call) => call.spanId === parentSpanId));
    assert.match(String(attributes['portcullis.upstream']), /^127\.0\.0\.1:\d+#1$/);
  }
  // The node's request headers name the span of the request; items of a batch sent in the same turn of the event loop share one span.
  const named = requests.filter(({ spanId }) => seen.includes(`00-${TRACE}-${spanId}-01`));
  const parents = named.map(
    ({ parentSpanId }) => calls.find(({ spanId }) => spanId === parentSpanId)?.parentSpanId,
  );
  assert.deepEqual(new Set(parents), new Set([single?.spanId, batch?.spanId]));
  // Trace context that the client marks as not recorded is forwarded unchanged.
  assert.ok(seen.includes(unrecorded));
  assert.equal(
    seen.filter((one) => one !== undefined && !one.includes(TRACE) && one !== unrecorded).length,
    0,
  );
});

test('an unreachable trace receiver does not affect calls, and is logged in few lines', async (t) => {
  const node = await startNode(t);
  const program = await startProgram(t, node.url, {
    endpoint: 'http://127.0.0.1:1/v1/traces?token=receivers-secret',
    sample: 1,
  });
  for (let i = 0; i < 700; i++) {
    assert.match(await post(program, callTo(`0x${i.toString(16).padStart(4, '0')}`)), /"result"/);
  }
  const log = await program.stop();
  const lines = log.match(/traces could not be exported/g)?.length ?? 0;
  assert.ok(lines >= 1 && lines <= 6, `${lines} lines`);
  assert.doesNotMatch(log, /receivers-secret/);
});
