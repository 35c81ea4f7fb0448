import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeeHistoryRequest } from '../../src/chain/requests.ts';
import type { Network } from '../../src/methods/network.ts';
import { NetworkMethods } from '../../src/methods/network-methods.ts';
import { findMethod } from '../../src/methods/table.ts';
import { createBoundError, RpcError } from '../../src/rpc/errors.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork, createScriptedRollup, ScriptedChain } from '../gateway/scripted-network.ts';
import { createFakeChain } from '../support/fake-chain.ts';

const scope = new RequestScope(Number.POSITIVE_INFINITY);

function ask(network: Network, method: string, ...params: readonly unknown[]): unknown {
  const context = { network, clientVersion: 'test', scope };
  return findMethod(method, network)?.invoke(params, context);
}

/** Creates a network that records the requested fee histories. */
function createNoting(): { readonly network: Network; readonly requested: FeeHistoryRequest[] } {
  const requested: FeeHistoryRequest[] = [];
  const chain = createFakeChain({
    fees: {
      getFeeHistory: (request) => {
        requested.push(request);
        return '{}';
      },
    },
  });
  return { network: createScriptedNetwork(chain), requested };
}

test('the block count of a fee history is a JSON number or text, decimal or hex', () => {
  const { network, requested } = createNoting();
  for (const count of [7, '7', '0x7', '0X07', '007']) ask(network, 'eth_feeHistory', count, 'latest', []);
  assert.deepEqual(
    requested.map(({ blockCount }) => blockCount),
    Array(5).fill(7),
  );
  for (const count of ['0x', '-1', -1, 1.5, 'seven', true, {}, `0x1${'0'.repeat(16)}`, 2 ** 64]) {
    assert.throws(() => ask(network, 'eth_feeHistory', count, 'latest', []), {
      message: 'invalid argument 0: invalid hex or decimal integer',
    });
  }
});

test('a block count is capped at 1,024, and a count of zero sends no request', () => {
  const { network, requested } = createNoting();
  ask(network, 'eth_feeHistory', '0xffffffffffffffff', 'latest', [1, 2]);
  assert.deepEqual(requested, [
    { blockCount: 1_024, newest: { kind: 'tag', tag: 'latest' }, percentiles: [1, 2] },
  ]);
  for (const count of [0, '', '0x0']) {
    // No other parameter is checked, as in geth.
    const answer = ask(network, 'eth_feeHistory', count, '0xffff', [200, 100]);
    assert.equal(answer, '{"oldestBlock":"0x0","gasUsedRatio":null}');
  }
  assert.equal(requested.length, 1);
});

test('invalid percentiles are refused with geth’s messages', () => {
  const { network } = createNoting();
  const cases: readonly (readonly [readonly (number | null)[], string])[] = [
    [[-1], '-1.000000'],
    [[100.25], '100.250000'],
    [[1e22], '10000000000000000000000.000000'],
    [[50, 10], '#0:50.000000 >= #1:10.000000'],
    [[1, 1], '#0:1.000000 >= #1:1.000000'],
    [[null, 0], '#0:0.000000 >= #1:0.000000'],
  ];
  for (const [percentiles, text] of cases) {
    assert.throws(
      () => ask(network, 'eth_feeHistory', 1, 'latest', percentiles),
      new RpcError('serverError', `invalid reward percentile: ${text}`),
    );
  }
  assert.throws(
    () =>
      ask(
        network,
        'eth_feeHistory',
        1,
        'latest',
        Array.from({ length: 101 }, (_, i) => i / 2),
      ),
    createBoundError('serverError', 'feeHistory.percentiles', 100),
  );
  for (const percentiles of [['5'], {}, 'x', [[]]]) {
    assert.throws(
      () => ask(network, 'eth_feeHistory', 1, 'latest', percentiles),
      /^RpcError: invalid argument 2: /,
    );
  }
});

test('all three parameters of eth_feeHistory are required, as in geth', () => {
  const { network } = createNoting();
  for (const [params, missing] of [
    [[], 0],
    [['0x1'], 1],
    [['0x1', 'latest', null], 2],
  ] as const) {
    assert.throws(() => ask(network, 'eth_feeHistory', ...params), {
      message: `missing value for required argument ${missing}`,
    });
  }
});

test('methods that no node can answer do not exist; an absent base fee is null', () => {
  const none = (): null => null;
  const chain = createFakeChain({
    fees: { getGasPrice: none, getPriorityFee: none, getFeeHistory: none, getBaseFee: () => 'null' },
    node: { getConfig: none, getCapabilities: none },
  });
  const network = createScriptedNetwork(chain);
  for (const method of ['eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_config', 'eth_capabilities']) {
    assert.throws(() => ask(network, method), new RpcError('methodNotFound', method));
  }
  assert.throws(
    () => ask(network, 'eth_feeHistory', 1, 'latest', []),
    new RpcError('methodNotFound', 'eth_feeHistory'),
  );
  assert.equal(ask(network, 'eth_baseFee'), 'null');
});

test('methods about the service itself need no chain', () => {
  const network = createScriptedNetwork(createFakeChain({}));
  assert.equal(ask(network, 'eth_accounts'), '[]');
  assert.equal(ask(network, 'net_listening'), 'true');
  assert.equal(ask(network, 'net_peerCount'), '"0x0"');
  assert.equal(
    ask(network, 'web3_sha3', '0x'),
    '"0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"',
  );
  assert.throws(() => ask(network, 'web3_sha3', 'abc'), /hex string without 0x prefix/);
});

test('rpc_modules lists the namespaces that the network serves', () => {
  const list = (network: Network): readonly string[] =>
    Object.keys(JSON.parse(String(ask(network, 'rpc_modules'))) as Readonly<Record<string, string>>);
  const plain = list(createScriptedNetwork(new ScriptedChain()));
  assert.deepEqual(plain, ['debug', 'eth', 'net', 'rpc', 'web3']);
  const passing = createScriptedNetwork(new ScriptedChain(), {
    methods: new NetworkMethods({ except: [], reads: [], also: ['trace_block'], onlyReads: () => true }),
  });
  assert.deepEqual(list(passing), [...plain, 'trace'].sort());
  const rollup = list(createScriptedRollup(new ScriptedChain()));
  assert.deepEqual(rollup, [...plain, 'l2', 'linea', 'rollup'].sort());
});
