/** Methods and addresses of a network of nodes, from the configuration to the wire. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWebSocketExchanger } from '../support/clients.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { RpcError, type ScriptedNode, startNode } from '../support/served-node.ts';
import { type RunningService, startService } from '../support/service.ts';

/** Size of a trace: five times the buffer for one node's answers here, which is half of `limits.nodeBytes`. */
const LARGE_MB = 60;
const ADDRESS = `0x${'ab'.repeat(20)}`;
const folder = makeTemporaryFolder();
const ends: (() => unknown)[] = [];
let node: ScriptedNode;
let service: RunningService;

before(async () => {
  const untilTheEnd = { after: (end: () => unknown) => void ends.push(end) };
  node = await startNode(untilTheEnd as unknown as Parameters<typeof startNode>[0], {
    answers: {
      eth_getBalance: () => '0x7',
      debug_traceCall: () => ({ gas: 1 }),
      debug_setHead: () => null,
      trace_block: () => [],
      trace_get: () => {
        throw new RpcError(-32001, 'Resource not found', { why: 'no such trace' });
      },
      trace_call: () => {
        throw new RpcError(-32603, 'EVM error StackUnderflow');
      },
      debug_traceBlockByNumber: () => Array.from({ length: LARGE_MB }, () => 'ab'.repeat(500_000)),
    },
  });
  const upstreams = [node.url];
  service = await startService({
    dataDir: folder.path,
    limits: { nodeBytes: 24_000_000 },
    networks: {
      all: { hosts: ['all.localhost'], upstreams },
      few: { hosts: ['few.localhost'], upstreams, methods: { only: ['eth_getBalance', 'eth_chainId'] } },
      small: { hosts: ['small.localhost'], upstreams, pool: { answerBytes: 1_000_000 } },
      further: {
        hosts: ['further.localhost'],
        upstreams,
        methods: { except: ['eth_getBalance', 'debug_traceBlock'], also: ['debug_*'] },
      },
      own: { hosts: ['own.localhost'], builtin: 'devnet', methods: { except: ['net_*'] } },
    },
  });
});

after(async () => {
  await service.close();
  for (const end of ends) await end();
  folder.remove();
});

const encode = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

const post = (network: string, method: string, params: readonly unknown[]): Promise<Response> =>
  fetch(`http://${service.authority}/${network}/v3/demo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: encode(method, params),
  });

/** Sends a request. @returns the result, or the code of the error */
async function ask(network: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await post(network, method, params);
  const { result, error } = (await response.json()) as { result?: unknown; error?: { code: number } };
  return error === undefined ? result : error.code;
}

describe('a network of nodes', () => {
  test('serves read methods by default, including those that only its nodes have, and no others', async () => {
    assert.equal(await ask('all', 'eth_getBalance', ADDRESS, 'latest'), '0x7');
    assert.equal(await ask('all', 'eth_chainId'), '0x1');
    assert.deepEqual(await ask('all', 'debug_traceCall', {}, 'latest'), { gas: 1 });
    assert.deepEqual(await ask('all', 'trace_block', 'latest'), []);
    for (const method of ['debug_traceTransaction', 'debug_setHead', 'admin_peers', 'eth_nonsense']) {
      assert.equal(await ask('all', method), -32601, method);
    }
    const requested = node.calls.filter((method) => method === 'debug_traceTransaction').length;
    assert.equal(await ask('all', 'debug_traceTransaction'), -32601);
    assert.equal(node.calls.filter((method) => method === 'debug_traceTransaction').length, requested);
  });

  test('passes on errors of such methods unchanged', async () => {
    const errorOf = async (method: string): Promise<unknown> => {
      const response = await post('all', method, []);
      return ((await response.json()) as { error: unknown }).error;
    };
    const lost = { code: -32001, message: 'Resource not found', data: { why: 'no such trace' } };
    assert.deepEqual(await errorOf('trace_get'), lost);
    assert.deepEqual(await errorOf('trace_call'), { code: -32603, message: 'EVM error StackUnderflow' });
  });

  test('streams a large trace, and names the bound in the error above it', async () => {
    const response = await post('all', 'debug_traceBlockByNumber', ['latest']);
    // No length, since the response began before the end of the node's answer was known.
    assert.equal(response.headers.get('content-length'), null);
    const { result } = (await response.json()) as { result: readonly string[] };
    assert.equal(result.length, LARGE_MB);
    const refused = (await (await post('small', 'debug_traceBlockByNumber', ['latest'])).json()) as {
      error: { code: number; message: string };
    };
    assert.equal(refused.error.code, -32603);
    assert.match(refused.error.message, /bound: node\.answerBytes/);
  });

  test('serves only methods in `only`', async () => {
    assert.equal(await ask('few', 'eth_getBalance', ADDRESS, 'latest'), '0x7');
    assert.equal(await ask('few', 'eth_chainId'), '0x1');
    for (const method of ['eth_blockNumber', 'eth_getCode']) {
      assert.equal(await ask('few', method, ADDRESS, 'latest'), -32601, method);
    }
  });

  test('serves read-only methods of a namespace in `also`, and no methods in `except`', async () => {
    assert.deepEqual(await ask('further', 'debug_traceCall', {}, 'latest'), { gas: 1 });
    for (const method of ['eth_getBalance', 'debug_traceBlock', 'debug_setHead']) {
      assert.equal(await ask('further', method, ADDRESS, 'latest'), -32601, method);
    }
    assert.ok(!node.calls.includes('debug_setHead'));
  });
});

test('methods of an embedded network can be restricted too', async () => {
  assert.equal(await ask('own', 'eth_chainId'), '0x1ca9');
  assert.equal(await ask('own', 'net_version'), -32601);
});

test('a network can be selected by its name in the path over WebSocket', async () => {
  const exchange = await openWebSocketExchanger(`${service.authority}/few`);
  const { result } = JSON.parse(await exchange.send(encode('eth_chainId', []))) as { result: unknown };
  assert.equal(result, '0x1');
  await exchange.close();
});
