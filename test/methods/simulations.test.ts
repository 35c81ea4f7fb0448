import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRequest, SimulateRequest } from '../../src/chain/requests.ts';
import { ethCreateAccessList } from '../../src/methods/eth_createAccessList.ts';
import { ethSimulateV1 } from '../../src/methods/eth_simulateV1.ts';
import type { MethodContext } from '../../src/methods/method-context.ts';
import { RpcError } from '../../src/rpc/errors.ts';
import type { Method } from '../../src/rpc/method.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createFakeChain } from '../support/fake-chain.ts';

const ADDRESS = `0x${'ab'.repeat(20)}`;
const ROOT = `0x${'cd'.repeat(32)}`;

/** Returns the requests that the chain gets for these parameters. */
async function requestsOf(
  method: Method<MethodContext>,
  params: readonly unknown[],
): Promise<(CallRequest | SimulateRequest)[]> {
  const requests: (CallRequest | SimulateRequest)[] = [];
  const answer = (request: CallRequest | SimulateRequest): string => {
    requests.push(request);
    return '[]';
  };
  const chain = createFakeChain({
    blocks: { getHeader: () => ({ number: 1n, timestamp: 1n, gasLimit: 1_000_000n, extraData: '0x' }) },
    execution: { simulate: answer, createAccessList: answer },
  });
  const scope = new RequestScope(performance.now() + 10_000);
  await method.invoke(params, { network: { chain }, scope } as unknown as MethodContext);
  return requests;
}

const simulate = async (...params: readonly unknown[]): Promise<SimulateRequest> =>
  (await requestsOf(ethSimulateV1, params))[0] as SimulateRequest;

test('the default block is latest', async () => {
  const { block } = await simulate({ blockStateCalls: [{}] });
  assert.deepEqual(block, { kind: 'tag', tag: 'latest' });
  assert.deepEqual((await simulate({ blockStateCalls: [{}] }, '0x5')).block, { kind: 'number', number: 5n });
});

test('a null block or call counts as an empty one, as in geth', async () => {
  const { simulation } = await simulate({ blockStateCalls: [null, { calls: [null, { gas: '0x5' }] }] });
  assert.deepEqual(simulation.blockStateCalls, [{}, { calls: [{}, { gas: '0x5' }] }]);
});

test('all fields of a simulation reach the chain, without nulls and unknown fields', async () => {
  const call = { from: ADDRESS, to: ADDRESS, gas: '0xffffffffff', value: '0x1' };
  const blockOverrides = {
    number: '0x10',
    difficulty: '0x0',
    time: '0x20',
    gasLimit: '0x30',
    feeRecipient: ADDRESS,
    prevRandao: ROOT,
    baseFeePerGas: '0x1',
    blobBaseFee: '0x2',
    beaconRoot: ROOT,
    withdrawals: [{ index: '0x1', validatorIndex: '0x2', address: ADDRESS, amount: '0x3' }],
  };
  const stateOverrides = { [ADDRESS]: { balance: '0x1', movePrecompileToAddress: ADDRESS } };
  const flags = { traceTransfers: true, validation: false, returnFullTransactions: true };
  const full = { blockStateCalls: [{ blockOverrides, stateOverrides, calls: [call] }], ...flags };
  assert.deepEqual((await simulate(full)).simulation, full);
  const loose = {
    blockStateCalls: [
      {
        blockOverrides: { ...blockOverrides, number: null, surplus: 1 },
        stateOverrides: null,
        calls: [{ ...call, value: null, surplus: {} }],
        surplus: [],
      },
    ],
    validation: null,
    surplus: 'x',
  };
  const { number: _, ...overrides } = blockOverrides;
  const { value: __, ...rest } = call;
  assert.deepEqual((await simulate(loose)).simulation, {
    blockStateCalls: [{ blockOverrides: overrides, calls: [rest] }],
  });
  assert.deepEqual(
    (await simulate({ blockStateCalls: [{ blockOverrides: { withdrawals: [{}] } }] })).simulation,
    {
      blockStateCalls: [
        {
          blockOverrides: {
            withdrawals: [
              { index: '0x0', validatorIndex: '0x0', address: `0x${'00'.repeat(20)}`, amount: '0x0' },
            ],
          },
        },
      ],
    },
  );
});

test('too many blocks or calls are refused with geth’s messages before the chain gets a request', async () => {
  const calls = (count: number): { calls: object[] } => ({ calls: Array(count).fill({}) });
  const refusals: readonly (readonly [unknown, number, string])[] = [
    [{}, -32602, 'empty input'],
    [{ blockStateCalls: [] }, -32602, 'empty input'],
    [{ blockStateCalls: Array(257).fill({}) }, -38026, 'too many blocks (bound: simulation.blocks)'],
    [
      { blockStateCalls: [calls(5_001)] },
      -38026,
      'too many calls in block: 5001 > 5000 (bound: simulation.blockCalls)',
    ],
    [
      { blockStateCalls: [calls(5_000), calls(5_000), calls(1)] },
      -38026,
      'too many calls: 10001 > 10000 (bound: simulation.calls)',
    ],
  ];
  for (const [payload, code, message] of refusals) {
    await assert.rejects(
      async () => simulate(payload),
      (error) => error instanceof RpcError && error.row.code === code && error.message === message,
      message,
    );
  }
  const most = { blockStateCalls: [calls(5_000), calls(5_000)] };
  assert.equal((await simulate(most)).simulation.blockStateCalls.length, 2);
});

test('errors name malformed members', async () => {
  const faults: readonly (readonly [unknown, RegExp])[] = [
    [[], /^invalid argument 0: /],
    [{ blockStateCalls: {} }, /^invalid argument 0: blockStateCalls: /],
    [
      { blockStateCalls: [{ calls: [{ to: '0x1' }] }] },
      /^invalid argument 0: blockStateCalls\[0\]\.calls\[0\]\.to: /,
    ],
    [
      { blockStateCalls: [{ blockOverrides: { time: '0x10000000000000000' } }] },
      /^invalid argument 0: blockStateCalls\[0\]\.blockOverrides\.time: /,
    ],
    [{ blockStateCalls: [{}], validation: 'yes' }, /^invalid argument 0: validation: /],
  ];
  for (const [payload, message] of faults) {
    await assert.rejects(
      async () => simulate(payload),
      (error) => error instanceof RpcError && error.row.code === -32602 && message.test(error.message),
      String(message),
    );
  }
});

test('the gas of eth_createAccessList is capped, and the chain checks the other fields', async () => {
  const call = { gas: '0xffffffff', gasPrice: '0x1', maxFeePerGas: '0x1', chainId: '0x1' };
  const [request] = (await requestsOf(ethCreateAccessList, [call])) as [CallRequest];
  assert.deepEqual(request, {
    call: { ...call, gas: '0x989680' },
    block: { kind: 'tag', tag: 'latest' },
  });
  const overrides = { [ADDRESS]: { nonce: '0x1' } };
  const [provided] = (await requestsOf(ethCreateAccessList, [{ input: '0x01' }, 'pending', overrides])) as [
    CallRequest,
  ];
  assert.deepEqual(provided, {
    call: { data: '0x01' },
    block: { kind: 'tag', tag: 'pending' },
    stateOverrides: overrides,
  });
});
