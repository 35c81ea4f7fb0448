import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  BlockReference,
  BlockSimulation,
  CallRequest,
  SimulateRequest,
} from '../../../src/chain/requests.ts';
import { checkAccessListResult } from '../../../src/chains/upstream/checks/check-simulations.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer, createNode, nodeError } from '../../pool/support/scripted-node.ts';
import { createStream, readAll } from '../../pool/support/scripted-stream.ts';

const chain = new ScriptedChain({ length: 400 });
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const TO = `0x${'ab'.repeat(20)}`;
const SIMULATION: BlockSimulation = { blockStateCalls: [{ calls: [{ to: TO }] }], validation: true };
const BLOCKS = '[{"number":"0x190","calls":[]}]';
const ACCESS_LIST = '{"accessList":[],"gasUsed":"0x5208"}';

describe('simulations', () => {
  it('are requested at one block, and answered from the cache afterwards', async () => {
    const { chain: served, node } = createNetwork(chain);
    node.behave(answer(BLOCKS));
    for (const block of [LATEST, { kind: 'number', number: 399n }] as const) {
      assert.equal(await served.execution.simulate({ simulation: SIMULATION, block }, createScope()), BLOCKS);
    }
    const other = { simulation: { ...SIMULATION, validation: false }, block: LATEST };
    await served.execution.simulate(other, createScope());
    assert.deepEqual(
      node.requested.calls.map(({ method, params }) => [method, JSON.parse(params)]),
      [
        ['eth_simulateV1', [SIMULATION, '0x18f']],
        ['eth_simulateV1', [{ ...SIMULATION, validation: false }, '0x18f']],
      ],
    );
  });

  it('at pending are sent unchanged each time', async () => {
    const { chain: served, node } = createNetwork(chain);
    node.behave(answer(BLOCKS));
    const block: BlockReference = { kind: 'tag', tag: 'pending' };
    for (let i = 0; i < 2; i++)
      await served.execution.simulate({ simulation: SIMULATION, block }, createScope());
    assert.deepEqual(
      node.requested.calls.map(({ params }) => (JSON.parse(params) as unknown[])[1]),
      ['pending', 'pending'],
    );
  });

  it('with a refused block or transaction have the kind of its error code, after one request', async () => {
    const refusals: readonly (readonly [number, string])[] = [
      [-38010, 'nonceTooLow'],
      [-38011, 'nonceTooHigh'],
      [-38012, 'feeCapTooLow'],
      [-38013, 'intrinsicGas'],
      [-38014, 'insufficientFunds'],
      [-38015, 'blockGasLimit'],
      [-38020, 'blockNumberOrder'],
      [-38021, 'blockTimestampOrder'],
      [-38025, 'initCodeSize'],
      [-38026, 'simulationLimit'],
      [-32603, 'invalidSimulation'],
      [-32602, 'invalid'],
    ];
    for (const [code, kind] of refusals) {
      const { chain: served, node } = createNetwork(chain);
      node.behave(nodeError(code, 'err: no (supplied gas 1)'));
      await assert.rejects(
        async () => served.execution.simulate({ simulation: SIMULATION, block: LATEST }, createScope()),
        { name: 'ChainError', kind, message: 'err: no (supplied gas 1)' },
        kind,
      );
      assert.equal(node.requested.calls.length, 1);
    }
    const { chain: served, node } = createNetwork(chain);
    node.behave(nodeError(-38014, 'err: no'));
    const call = { call: { to: TO }, block: LATEST };
    await assert.rejects(async () => served.execution.call(call, createScope()), { kind: 'failed' });
  });

  it('with an invalid result are sent to the next node', async () => {
    for (const wrong of ['null', '{}', '[]', '[{"calls":[]}]', '[{"number":"0x1"}]', '"0x"']) {
      const nodes = [
        createNode({ behaviour: answer(wrong), tier: 1 }),
        createNode({ behaviour: answer(BLOCKS), tier: 2 }),
      ];
      const { chain: served } = createNetwork(chain, {}, nodes);
      const request: SimulateRequest = { simulation: SIMULATION, block: LATEST };
      assert.equal(await served.execution.simulate(request, createScope()), BLOCKS, wrong);
    }
  });

  it('of many bytes are streamed if they begin like a result', async () => {
    const long = `[{"number":"0x190","calls":[{"returnData":"0x${'00'.repeat(5 * 1_048_576)}"}]}]`;
    for (const [text, isGood] of [
      [long, true],
      [`{"blocks":${long}}`, false],
    ] as const) {
      const { chain: served, node } = createNetwork(chain);
      node.behave(async () => ({ kind: 'result', result: createStream(text, { pieceBytes: 65_536 }) }));
      const requested = (async () => {
        const result = await served.execution.simulate(
          { simulation: SIMULATION, block: LATEST },
          createScope(),
        );
        assert.ok(typeof result !== 'string');
        return readAll(result);
      })();
      if (isGood) assert.ok((await requested) === text);
      else await assert.rejects(requested, { kind: 'unavailable' });
    }
  });
});

describe('access lists', () => {
  it('are requested at one block, with overrides if there are any', async () => {
    const { chain: served, node } = createNetwork(chain);
    node.behave(answer(ACCESS_LIST));
    const request = { call: { to: TO }, block: LATEST };
    for (let i = 0; i < 2; i++) {
      assert.equal(await served.execution.createAccessList(request, createScope()), ACCESS_LIST);
    }
    const stateOverrides = { [TO]: { nonce: '0x1' } };
    await served.execution.createAccessList({ ...request, stateOverrides }, createScope());
    assert.deepEqual(
      node.requested.calls.map(({ method, params }) => [method, JSON.parse(params)]),
      [
        ['eth_createAccessList', [{ to: TO }, '0x18f']],
        ['eth_createAccessList', [{ to: TO }, '0x18f', stateOverrides]],
      ],
    );
  });

  it('with an invalid result are sent to the next node', async () => {
    for (const wrong of [
      'null',
      '[]',
      '{"accessList":[]}',
      '{"gasUsed":"0x1"}',
      '{"accessList":{},"gasUsed":"0x1"}',
    ]) {
      const nodes = [
        createNode({ behaviour: answer(wrong), tier: 1 }),
        createNode({ behaviour: answer(ACCESS_LIST), tier: 2 }),
      ];
      const { chain: served } = createNetwork(chain, {}, nodes);
      const request: CallRequest = { call: { to: TO }, block: LATEST };
      assert.equal(await served.execution.createAccessList(request, createScope()), ACCESS_LIST, wrong);
    }
  });
});

it('an access list that is null becomes empty, and a missing one is refused', () => {
  const told = '{"accessList":null,"gasUsed":"0x5208"}';
  assert.deepEqual(JSON.parse(checkAccessListResult(told) as string), { accessList: [], gasUsed: '0x5208' });
  assert.equal(checkAccessListResult(ACCESS_LIST), ACCESS_LIST);
  for (const text of ['{"gasUsed":"0x5208"}', '{"accessList":null}'])
    assert.throws(() => checkAccessListResult(text), { name: 'UpstreamFault', kind: 'wrong' });
});
