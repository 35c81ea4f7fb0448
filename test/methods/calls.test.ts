import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockReference, CallRequest } from '../../src/chain/requests.ts';
import { ethCall } from '../../src/methods/eth_call.ts';
import { ethEstimateGas } from '../../src/methods/eth_estimateGas.ts';
import { ethGetBlockReceipts } from '../../src/methods/eth_getBlockReceipts.ts';
import type { MethodContext } from '../../src/methods/method-context.ts';
import type { Method } from '../../src/rpc/method.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork, ScriptedChain } from '../gateway/scripted-network.ts';

/** Returns the request that the chain gets for these parameters. */
async function requestOf(
  method: Method<MethodContext>,
  params: readonly unknown[],
  chain = new ScriptedChain(),
): Promise<CallRequest> {
  await method.invoke(params, {
    network: createScriptedNetwork(chain),
    clientVersion: 'v',
    scope: new RequestScope(performance.now() + 10_000),
  });
  assert.equal(chain.requests.length, 1);
  return chain.requests[0] as CallRequest;
}

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
/** 10 times the gas limit of the scripted chain's head. */
const CAP = '0x11e1a300';

test('gas is clamped to 10 times the gas limit of the latest block', async () => {
  for (const method of [ethCall, ethEstimateGas]) {
    assert.equal((await requestOf(method, [{ gas: '0x11e1a301' }])).call.gas, CAP);
    assert.equal((await requestOf(method, [{ gas: '0x11e1a300' }])).call.gas, CAP);
    assert.equal((await requestOf(method, [{ gas: '0x11e1a2ff' }])).call.gas, '0x11e1a2ff');
    assert.equal((await requestOf(method, [{ gas: '0x1' }])).call.gas, '0x1');
    assert.equal((await requestOf(method, [{ gas: '0xffffffffffffffff' }])).call.gas, CAP);
  }
});

test('absent gas stays absent, and the head is not requested', async () => {
  class HeadlessChain extends ScriptedChain {
    override getHeader(): Promise<never> {
      assert.fail('asked for the head');
    }
  }
  for (const method of [ethCall, ethEstimateGas]) {
    assert.deepEqual((await requestOf(method, [{}], new HeadlessChain())).call, {});
  }
});

test('a block gas limit beyond 64 bits does not raise the cap beyond 64 bits', async () => {
  class WideChain extends ScriptedChain {
    override readonly gasLimit: bigint = 2n ** 63n;
  }
  const params = [{ gas: '0xffffffffffffffff' }];
  assert.equal((await requestOf(ethCall, params, new WideChain())).call.gas, '0xffffffffffffffff');
});

test('the default block is latest', async () => {
  assert.deepEqual((await requestOf(ethCall, [{}])).block, LATEST);
  assert.deepEqual((await requestOf(ethEstimateGas, [{}, null])).block, LATEST);
  assert.deepEqual((await requestOf(ethCall, [{}, 'safe'])).block, { kind: 'tag', tag: 'safe' });
  assert.deepEqual((await requestOf(ethEstimateGas, [{}, '0x5'])).block, { kind: 'number', number: 5n });
});

test('input takes precedence over data, and the chain gets only one of them', async () => {
  const dataOf = async (call: unknown): Promise<unknown> => {
    const request = await requestOf(ethEstimateGas, [call]);
    assert.equal('input' in request.call, false);
    return request.call.data;
  };
  assert.equal(await dataOf({ data: '0x01' }), '0x01');
  assert.equal(await dataOf({ input: '0x02' }), '0x02');
  assert.equal(await dataOf({ data: '0x01', input: '0x02' }), '0x02');
  assert.equal(await dataOf({ data: '0x01', input: null }), '0x01');
  assert.equal(await dataOf({}), undefined);
});

test('null and unknown fields count as absent, and hex is converted to lower case', async () => {
  const call = {
    to: `0x${'Ab'.repeat(20)}`,
    from: null,
    gas: null,
    value: '0xA',
    blobs: ['x'],
    __proto__: null,
  };
  assert.deepEqual((await requestOf(ethEstimateGas, [call])).call, {
    to: `0x${'ab'.repeat(20)}`,
    value: '0xa',
  });
});

test('all fields of a call reach the chain', async () => {
  const call = {
    from: `0x${'01'.repeat(20)}`,
    to: `0x${'00'.repeat(20)}`,
    gas: '0x5208',
    maxFeePerGas: '0x2',
    maxPriorityFeePerGas: '0x1',
    maxFeePerBlobGas: '0x3',
    value: `0x${'f'.repeat(64)}`,
    nonce: '0xffffffffffffffff',
    data: '0x',
    type: '0x4',
    chainId: '0x539',
    accessList: [{ address: `0x${'03'.repeat(20)}`, storageKeys: [`0x${'04'.repeat(32)}`] }],
    blobVersionedHashes: [`0x${'05'.repeat(32)}`],
    authorizationList: [
      { chainId: '0x1', address: `0x${'06'.repeat(20)}`, nonce: '0x0', yParity: '0x1', r: '0x7', s: '0x8' },
    ],
  };
  assert.deepEqual((await requestOf(ethCall, [call])).call, call);
});

test('overrides reach the chain with lower-case keys and without nulls', async () => {
  const slot = `0x${'0A'.repeat(32)}`;
  const request = await requestOf(ethCall, [
    {},
    'latest',
    { [`0x${'Ab'.repeat(20)}`]: { balance: '0x1', nonce: null, stateDiff: { [slot]: slot } } },
    { number: '0x5', time: null, baseFeePerGas: '0x0' },
  ]);
  assert.deepEqual(request.stateOverrides, {
    [`0x${'ab'.repeat(20)}`]: { balance: '0x1', stateDiff: { [slot.toLowerCase()]: slot.toLowerCase() } },
  });
  assert.deepEqual(request.blockOverrides, { number: '0x5', baseFeePerGas: '0x0' });
});

test('absent overrides are absent in the request', async () => {
  assert.deepEqual(Object.keys(await requestOf(ethCall, [{}, 'latest', null, null])), ['call', 'block']);
});

test('an invalid type is ignored, and an empty string is a value of zero or empty data', async () => {
  for (const type of ['Latest', '0x01', 7, { a: 1 }]) {
    const { call } = await requestOf(ethEstimateGas, [{ type, value: '', data: '' }]);
    assert.deepEqual(call, { value: '0x0', data: '0x' });
  }
  const { call } = await requestOf(ethEstimateGas, [{ type: '0x2' }]);
  assert.deepEqual(call, { type: '0x2' });
});

test('safe reaches the chain of a read as finalized if the network is configured so', async () => {
  const chain = new ScriptedChain();
  const network = createScriptedNetwork(chain, { safeTag: 'finalized' });
  const scope = new RequestScope(performance.now() + 10_000);
  assert.equal(await ethGetBlockReceipts.invoke(['safe'], { network, clientVersion: 'v', scope }), '[]');
  assert.deepEqual(chain.references, [{ kind: 'tag', tag: 'finalized' }]);
});
