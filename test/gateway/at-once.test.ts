import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Chain, HeaderView } from '../../src/chain/chain.ts';
import { ChainError } from '../../src/chain/errors.ts';
import type { CallRequest } from '../../src/chain/requests.ts';
import type { Answer } from '../../src/gateway/answer.ts';
import { composeGateway, type Gateway } from '../../src/gateway/gateway.ts';
import { NetworkRegistry } from '../../src/gateway/network-registry.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { openTo } from '../support/access.ts';
import { createFakeChain } from '../support/fake-chain.ts';
import { makeVisitor } from '../support/visitor.ts';
import { createRecordingLog } from './recording-log.ts';
import { createScriptedNetwork } from './scripted-network.ts';

const HEADER: HeaderView = { number: 0x36n, timestamp: 540n, gasLimit: 30_000_000n, extraData: '0x' };

/** Creates a chain that answers synchronously. The data of a call select its outcome. */
function createPromptChain(requests: CallRequest[]): Chain {
  const run = (request: CallRequest): string => {
    requests.push(request);
    switch (request.call.data) {
      case '0x01':
        throw new ChainError('failed', 'out of gas');
      case '0x02':
        throw new TypeError('a fault');
      default:
        return '"0x2a"';
    }
  };
  return createFakeChain({
    execution: { call: run, estimateGas: run },
    blocks: { getHeader: () => HEADER, getReceipts: () => null, getUncle: () => null },
    transactions: { getTransaction: () => null },
    state: { getTransactionCount: () => '"0x7"' },
  });
}

type Setup = {
  readonly gateway: Gateway;
  readonly requests: CallRequest[];
  readonly send: (body: unknown) => PromiseOrValue<Answer>;
};

function setUp(): Setup {
  const requests: CallRequest[] = [];
  const network = createScriptedNetwork(createPromptChain(requests));
  const principal = { id: 'p', name: 'p' };
  const gateway = composeGateway({
    networks: new NetworkRegistry([{ hosts: ['devnet.localhost'], network }]),
    access: openTo((key) => (key === 'key' ? principal : undefined)),
    clientVersion: 'Portcullis/1.2.3',
    log: createRecordingLog(),
  });
  return {
    gateway,
    requests,
    send: (body) =>
      gateway.handle(
        Buffer.from(JSON.stringify(body)),
        { network, principal },
        new RequestScope(performance.now() + 60_000),
      ),
  };
}

const call = (method: string, params: readonly unknown[], id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

const ANSWERS: readonly [method: string, params: readonly unknown[], outcome: string][] = [
  ['eth_call', [{ to: `0x${'01'.repeat(20)}` }, 'latest'], '"result":"0x2a"'],
  ['eth_call', [{ gas: '0x5208' }], '"result":"0x2a"'],
  ['eth_call', [{ data: '0x01' }], '"error":{"code":-32000,"message":"out of gas"}'],
  ['eth_call', [{ data: '0x02' }], '"error":{"code":-32603,"message":"internal error"}'],
  ['eth_estimateGas', [{}], '"result":"0x2a"'],
  ['eth_blockNumber', [], '"result":"0x36"'],
  ['eth_getBlockReceipts', ['0x1'], '"result":null'],
  ['eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0'], '"result":null'],
  ['eth_getUncleByBlockNumberAndIndex', ['0x1', '0x0'], '"result":null'],
  ['eth_getTransactionCount', [`0x${'01'.repeat(20)}`, 'latest'], '"result":"0x7"'],
];
for (const [method, params, outcome] of ANSWERS) {
  test(`${method} ${JSON.stringify(params)} is answered synchronously by a synchronous chain`, () => {
    assert.deepEqual(setUp().send(call(method, params)), {
      status: 200,
      body: `{"jsonrpc":"2.0","id":1,${outcome}}`,
    });
  });
}

test('a notification that completes synchronously has an empty answer', () => {
  const { send, requests } = setUp();
  assert.deepEqual(send({ jsonrpc: '2.0', method: 'eth_call', params: [{ data: '0x03' }] }), {
    status: 200,
    body: '',
  });
  assert.deepEqual(requests, [{ call: { data: '0x03' }, block: { kind: 'tag', tag: 'latest' } }]);
});

test('a known host and key are admitted synchronously', () => {
  const admitted = setUp().gateway.admit(makeVisitor('devnet.localhost', 'key'));
  assert.ok('principal' in admitted);
});

test('synchronous bodies free their place among the bodies in flight, whatever their outcome', () => {
  const { send } = setUp();
  for (let i = 0; i < 3_000; i++) {
    const answer = send(call('eth_call', [{ data: `0x0${i % 3}` }]));
    assert.ok('status' in answer);
    assert.equal(answer.status, 200);
  }
});

test('all items of a synchronous batch are answered in order', async () => {
  const { send, requests } = setUp();
  const items = Array.from({ length: 300 }, (_, id) => call('eth_call', [{ data: `0x0${id % 3}` }], id));
  const { body } = await send(items);
  assert.ok(typeof body === 'string');
  assert.deepEqual(
    (JSON.parse(body) as { id: number; result?: string }[]).map(({ id, result }) => [id, result]),
    items.map((_, id) => [id, id % 3 === 0 ? '0x2a' : undefined]),
  );
  assert.equal(requests.length, items.length);
});
