import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { WebSocketServer } from 'ws';
import type { Examination, ExaminedNode } from '../../../src/doctor/nodes/examination.ts';
import { type ExaminationWants, examineUpstream } from '../../../src/doctor/nodes/examine-upstream.ts';
import { type PoolOptions, poolOptionsSchema, upstreamsSchema } from '../../../src/pool/options.ts';
import { ANVIL_SKIP, startAnvil } from '../../support/anvil.ts';
import {
  FULL_HEIGHT,
  GENESIS_HASH,
  type NodeScript,
  RpcError,
  startNode,
} from '../../support/served-node.ts';

const POOL: PoolOptions = poolOptionsSchema.parse({});
const IMPATIENT: PoolOptions = poolOptionsSchema.parse({ answerTimeout: '1500ms' });

async function examine(
  row: unknown,
  { pool = POOL, ...wants }: ExaminationWants & { readonly pool?: PoolOptions } = {},
): Promise<Examination> {
  const [parsed] = upstreamsSchema.parse([row]);
  assert.ok(parsed !== undefined);
  return examineUpstream(parsed, 0, pool, wants);
}

async function examineScript(
  t: TestContext,
  script: NodeScript,
  pool: PoolOptions = POOL,
): Promise<ExaminedNode> {
  const examination = await examine((await startNode(t, script)).url, { pool });
  assert.ok(examination.answers, inspect(examination));
  return examination;
}

function statesOf(node: ExaminedNode): Record<string, string> {
  return Object.fromEntries(Object.entries(node.features).map(([name, { state }]) => [name, state]));
}

/** Read methods that are not in the service's specification. */
const READS = [
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_getProof',
  'eth_getBlockByHash',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getLogs',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_feeHistory',
  'eth_createAccessList',
  'eth_simulateV1',
];
/** Methods requested from a node, except its chain id. */
const METHODS = [
  ...READS,
  'eth_call',
  'eth_estimateGas',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_syncing',
  'linea_estimateGas',
  'rollup_getInfo',
  'web3_clientVersion',
];

const ALL_YES = {
  eth_call: 'yes',
  callAtHash: 'yes',
  stateOverrides: 'yes',
  eth_estimateGas: 'yes',
  estimateAtBlock: 'yes',
  estimateAtHash: 'yes',
  eth_getBlockReceipts: 'yes',
  receiptsByHash: 'yes',
  eth_getTransactionByBlockNumberAndIndex: 'yes',
  eth_getUncleByBlockNumberAndIndex: 'yes',
};

test('a healthy node is reported to support everything', async (t) => {
  const node = await startNode(t);
  const examination = await examine({ url: node.url, name: 'one', tier: 2 });
  assert.ok(examination.answers);
  assert.equal(examination.name, 'one');
  assert.equal(examination.tier, 2);
  assert.deepEqual(examination.identity, {
    chainId: 1n,
    genesisHash: GENESIS_HASH,
    clientVersion: 'Geth/v1.16.7-stable-b9f3a3d9/linux-amd64/go1.24.9',
    knowsHashParameters: true,
  });
  assert.ok((examination.latencyMs ?? -1) >= 0);
  assert.equal(examination.latest?.number, BigInt(FULL_HEIGHT));
  assert.ok(Math.abs(examination.latest.ageSeconds) < 3_600);
  assert.deepEqual(examination.tags, {
    earliest: { state: 'yes', number: 0n },
    finalized: { state: 'yes', number: BigInt(FULL_HEIGHT - 10) },
    safe: { state: 'yes', number: BigInt(FULL_HEIGHT - 10) },
    pending: { state: 'yes', number: BigInt(FULL_HEIGHT) },
  });
  assert.deepEqual(statesOf(examination), ALL_YES);
  assert.deepEqual(examination.reads, Object.fromEntries(READS.map((name) => [name, { state: 'yes' }])));
  assert.deepEqual(examination.also, {});
  assert.equal(examination.reverts, 'standard');
  assert.deepEqual(examination.batches, { answered: 1_000 });
  assert.deepEqual(examination.announcements, { state: 'none' });
  assert.deepEqual(examination.rollup, {});
});

test('the examination sends only read methods', async (t) => {
  const node = await startNode(t);
  await examine(node.url, { rollupPrefix: 'linea' });
  assert.deepEqual([...new Set(node.calls)].sort(), [...METHODS, 'eth_chainId'].sort());
});

test('missing and wrong read methods are reported, and so are methods configured for the network', async (t) => {
  const refuse = (code: number, message: string) => () => {
    throw new RpcError(code, message);
  };
  const { url } = await startNode(t, {
    answers: {
      eth_getProof: undefined,
      eth_simulateV1: undefined,
      eth_getTransactionByHash: () => null,
      eth_getLogs: () => null,
      debug_traceCall: refuse(-32602, 'missing value for required argument 0'),
      trace_block: refuse(-32005, 'limit exceeded'),
      txpool_status: () => ({}),
    },
  });
  const few = await examine(url, { isServed: (name) => name === 'eth_getLogs' });
  assert.deepEqual(few.answers && Object.keys(few.reads), ['eth_getLogs']);
  const also = ['debug_traceCall', 'trace_block', 'txpool_status', 'ots_getApiLevel'];
  const examination = await examine(url, { also });
  assert.ok(examination.answers);
  const statesOfAll = (supports: ExaminedNode['reads'], state: string): string[] =>
    Object.keys(supports).filter((name) => supports[name]?.state === state);
  assert.deepEqual(statesOfAll(examination.reads, 'no'), [
    'eth_getProof',
    'eth_getTransactionByHash',
    'eth_getLogs',
    'eth_simulateV1',
  ]);
  assert.deepEqual(statesOfAll(examination.also, 'yes'), ['debug_traceCall', 'txpool_status']);
  assert.deepEqual(statesOfAll(examination.also, 'unclear'), ['trace_block']);
  assert.deepEqual(statesOfAll(examination.also, 'no'), ['ots_getApiLevel']);
});

test('rollup methods are tested if the network is a rollup', async (t) => {
  const answers = { linea_estimateGas: () => ({ gasLimit: '0x5208' }) };
  const { url } = await startNode(t, { answers });
  const examination = await examine(url, { rollupPrefix: 'linea' });
  assert.ok(examination.answers);
  assert.equal(examination.rollup['linea_estimateGas']?.state, 'yes');
  assert.equal(examination.rollup['rollup_getInfo']?.state, 'no');
});

const lacks: { name: string; script: NodeScript; states: Record<string, string> }[] = [
  {
    name: 'eth_getBlockReceipts',
    script: { answers: { eth_getBlockReceipts: undefined } },
    states: { eth_getBlockReceipts: 'no', receiptsByHash: 'no' },
  },
  {
    name: 'the receipts that it should have',
    script: { answers: { eth_getBlockReceipts: () => [] } },
    states: { eth_getBlockReceipts: 'no', receiptsByHash: 'no' },
  },
  {
    name: 'receipts, and says null',
    script: { answers: { eth_getBlockReceipts: () => null } },
    states: { eth_getBlockReceipts: 'no', receiptsByHash: 'no' },
  },
  {
    name: 'estimates at a block',
    script: {
      answers: {
        eth_estimateGas: ([, block]) => {
          if (block !== undefined) throw new RpcError(-32602, 'too many arguments, want at most 1');
          return '0x5208';
        },
      },
    },
    states: { estimateAtBlock: 'no', estimateAtHash: 'no' },
  },
  {
    name: 'block hashes in calls',
    script: {
      answers: {
        eth_call: ([, block, overrides]) => {
          if (typeof block === 'object') throw new RpcError(-32602, 'invalid argument 1: not a string');
          return overrides === undefined ? '0x' : `0x${'2a'.padStart(64, '0')}`;
        },
      },
    },
    states: { callAtHash: 'no' },
  },
  {
    name: 'state overrides, and ignores them',
    script: { answers: { eth_call: () => '0x' } },
    states: { stateOverrides: 'no' },
  },
  {
    name: 'the transaction that the block lists',
    script: { answers: { eth_getTransactionByBlockNumberAndIndex: () => null } },
    states: { eth_getTransactionByBlockNumberAndIndex: 'no' },
  },
  {
    name: 'patience with us',
    script: {
      answers: {
        eth_getBlockReceipts: () => {
          throw new RpcError(-32005, 'limit exceeded');
        },
      },
    },
    states: { eth_getBlockReceipts: 'unclear', receiptsByHash: 'unclear' },
  },
];
for (const { name, script, states } of lacks) {
  test(`reports a node without ${name}`, async (t) => {
    const node = await examineScript(t, script);
    assert.deepEqual(statesOf(node), { ...ALL_YES, ...states });
    const unexplained = Object.values(node.features).filter(
      ({ state, reason }) => state !== 'yes' && reason === undefined,
    );
    assert.deepEqual(unexplained, []);
  });
}

test('a tag that is null or refused is reported as unsupported', async (t) => {
  const node = await examineScript(t, {
    tags: {
      safe: () => null,
      finalized: () => {
        throw new RpcError(-32602, 'invalid argument 0: hex string without 0x prefix');
      },
    },
  });
  assert.equal(node.tags.safe.state, 'no');
  assert.equal(node.tags.finalized.state, 'no');
  assert.equal(node.tags.pending.state, 'yes');
});

const revertStyles = [
  { style: 'translated', code: -32015, data: true },
  { style: 'dataLost', code: 3, data: false },
  { style: 'unrecognised', code: undefined, data: false },
] as const;
for (const { style, code, data } of revertStyles) {
  test(`reports reverts as ${style}`, async (t) => {
    const node = await examineScript(t, {
      answers: {
        eth_call: ([call]) => {
          const init = String(Object(call).data);
          if (init === '0x' || code === undefined) return '0x';
          const bytes = init.includes('deadbeef') ? '0xdeadbeef' : '0x';
          throw new RpcError(code, 'execution reverted', data ? `Reverted ${bytes}` : undefined);
        },
      },
    });
    assert.equal(node.reverts, style);
  });
}

for (const batchItems of [0, 1, 10, 100]) {
  test(`reports the batch limit of a node that refuses batches above ${batchItems}`, async (t) => {
    const { batches } = await examineScript(t, { batchItems });
    assert.equal(batches.answered, batchItems);
    assert.match(batches.reason ?? '', /batch too large/);
  });
}

test('a node without a valid latest block is examined as far as possible', async (t) => {
  const node = await examineScript(t, { answers: { eth_getBlockByNumber: () => ({ number: 'new' }) } });
  assert.equal(node.latest, undefined);
  assert.deepEqual(node.features, {});
  assert.deepEqual(node.reads, {});
  assert.equal(node.identity.chainId, 1n);
});

const faults: { name: string; script: NodeScript; kind: string; reason: RegExp; pool?: PoolOptions }[] = [
  {
    name: 'refuses credentials',
    script: {
      respond: (_, response) => {
        response.writeHead(401).end();
        return true;
      },
    },
    kind: 'unauthorized',
    reason: /401/,
  },
  {
    name: 'refuses credentials in JSON-RPC',
    script: {
      answers: {
        eth_chainId: () => {
          throw new RpcError(-32002, 'invalid project id');
        },
      },
    },
    kind: 'unauthorized',
    reason: /invalid project id/,
  },
  {
    name: 'never answers',
    script: { respond: () => true },
    kind: 'timeout',
    reason: /no answer within 1\.5 s/,
    pool: IMPATIENT,
  },
  {
    name: 'is a web page',
    script: {
      respond: (_, response) => {
        response.setHeader('content-type', 'text/html');
        response.end('<html><body>Welcome</body></html>');
        return true;
      },
    },
    kind: 'malformed',
    reason: /./,
  },
  {
    name: 'has a chain id of its own kind',
    script: { answers: { eth_chainId: () => 'one' } },
    kind: 'malformed',
    reason: /eth_chainId/,
  },
  {
    name: 'has no eth_chainId',
    script: { answers: { eth_chainId: undefined } },
    kind: 'unsupported',
    reason: /eth_chainId/,
  },
  {
    name: 'limits the rate',
    script: {
      respond: (_, response) => {
        response.writeHead(429, { 'retry-after': '30' }).end();
        return true;
      },
    },
    kind: 'rateLimited',
    reason: /./,
  },
];
for (const { name, script, kind, reason, pool = POOL } of faults) {
  test(`reports the fault of a node that ${name}`, async (t) => {
    const examination = await examine((await startNode(t, script)).url, { pool });
    assert.ok(!examination.answers);
    assert.equal(examination.fault.kind, kind);
    assert.match(examination.fault.reason, reason);
  });
}

test('reports an unreachable node', async () => {
  const examination = await examine('http://127.0.0.1:1');
  assert.ok(!examination.answers);
  assert.equal(examination.fault.kind, 'unreachable');
});

test('a node that hangs later is still examined', async (t) => {
  let requested = 0;
  const respond = (): boolean => ++requested > 4;
  const { url } = await startNode(t, { respond });
  const examination = await examine(url, { pool: IMPATIENT });
  assert.ok(examination.answers);
  assert.equal(examination.latencyMs, undefined);
  assert.equal(examination.latest, undefined);
  assert.equal(examination.reverts, 'unclear');
  assert.equal(examination.batches.answered, 0);
});

test('texts of a node are shown on one line and without secrets', async (t) => {
  const key = 'd34db33fd34db33f';
  const { url } = await startNode(t, {
    answers: {
      web3_clientVersion: () => `Geth/v1\u001b[31m\n${key}`,
      eth_getBlockReceipts: () => {
        throw new RpcError(-32601, `no such method at ${key}\nfor Bearer t0ken-of-mine`);
      },
    },
  });
  const examination = await examine({ url: `${url}/v1/${key}`, bearer: 't0ken-of-mine' });
  assert.ok(examination.answers);
  const shown = JSON.stringify(examination.features) + examination.identity.clientVersion;
  assert.match(shown, /no such method at \*\*\*/);
  assert.doesNotMatch(shown, /d34db33f|t0ken|\\n/);
  assert.ok(!examination.identity.clientVersion.includes('\u001b'));
});

test('any answers of a node are examined without errors', async (t) => {
  let say: unknown;
  const nonsense = Object.fromEntries(METHODS.map((method) => [method, () => say]));
  const { url } = await startNode(t, { answers: nonsense, batchItems: 10 });
  const block = fc.record({
    number: fc.constantFrom('0x1', '0x01', '', null, 1),
    hash: fc.constantFrom(GENESIS_HASH, '0x', null),
    parentHash: fc.constant(GENESIS_HASH),
    timestamp: fc.constantFrom('0x1', '0xffffffffffffffff'),
    gasLimit: fc.constant('0x1'),
    transactions: fc.array(fc.oneof(fc.constant(GENESIS_HASH), fc.jsonValue()), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.jsonValue(), block), async (answer) => {
      say = answer;
      const examination = await examine(url, { rollupPrefix: 'linea' });
      assert.ok(examination.answers);
      assert.notEqual(examination.features.stateOverrides?.state, 'yes');
    }),
    { numRuns: 50 },
  );
});

test('the URL that announces heads is tested too', async (t) => {
  const { url } = await startNode(t);
  const start = async (chainId: string, subscribes: boolean): Promise<string> => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    server.on('connection', (socket) => {
      socket.on('message', (bytes) => {
        const { id, method } = JSON.parse(String(bytes)) as { id: number; method: string };
        if (method === 'eth_chainId') socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: chainId }));
        else if (subscribes) socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }));
        else {
          const error = { code: -32601, message: 'notifications not supported' };
          socket.send(JSON.stringify({ jsonrpc: '2.0', id, error }));
        }
      });
    });
    await new Promise((resolve) => server.on('listening', resolve));
    t.after(() => {
      for (const client of server.clients) client.terminate();
      server.close();
    });
    const { port } = server.address() as { port: number };
    return `ws://127.0.0.1:${port}`;
  };
  const announcementsOf = async (heads: string): Promise<ExaminedNode['announcements']> => {
    const examination = await examine({ url, heads }, { pool: POOL });
    assert.ok(examination.answers);
    return examination.announcements;
  };
  assert.deepEqual(await announcementsOf(await start('0x1', true)), { state: 'coming' });
  assert.equal((await announcementsOf(await start('0x1', false))).state, 'failing');
  assert.deepEqual(await announcementsOf(await start('0x5', true)), {
    state: 'failing',
    reason: 'its chain id is 5',
  });
  assert.equal((await announcementsOf('ws://127.0.0.1:1')).state, 'failing');
});

test('anvil supports everything, over HTTP and over WebSocket', { skip: ANVIL_SKIP }, async (t) => {
  const anvil = await startAnvil();
  t.after(() => anvil.kill());
  await anvil.request('anvil_mine', '0x2');
  for (const [url, state] of [
    [anvil.httpUrl, 'none'],
    [anvil.webSocketUrl, 'coming'],
  ]) {
    const examination = await examine(url);
    assert.ok(examination.answers, inspect(examination));
    assert.match(examination.identity.clientVersion, /^anvil\//);
    assert.equal(examination.latest?.number, 2n);
    assert.deepEqual(statesOf(examination), ALL_YES);
    assert.equal(examination.reverts, 'standard');
    assert.equal(examination.announcements.state, state);
    assert.equal(examination.batches.answered, 1_000);
  }
});
