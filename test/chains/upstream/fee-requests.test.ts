import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BlockReference } from '../../../src/chain/requests.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork, type ScriptedNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { type Behaviour, createNode, nodeError } from '../../pool/support/scripted-node.ts';

const chain = new ScriptedChain({ length: 400 });
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

type Answers = Readonly<Record<string, unknown>>;

const unsupported = nodeError(-32601, 'the method does not exist');

/** A node with blocks and these answers by method; it has no other method. */
function answerWith(answers: Answers, of: ScriptedChain = chain): Behaviour {
  return (call, options) => {
    if (call.method.startsWith('eth_getBlockBy')) return of.behaviour()(call, options);
    if (!(call.method in answers)) return unsupported(call, options);
    return { kind: 'result', result: JSON.stringify(answers[call.method]) };
  };
}

const createFees = (answers: Answers): ScriptedNetwork =>
  createNetwork(chain, {}, [createNode(answerWith(answers))]);

const HISTORY = {
  oldestBlock: '0x18f',
  baseFeePerGas: ['0x7', '0x8'],
  gasUsedRatio: [0.5],
  baseFeePerBlobGas: ['0x3', '0x4'],
  blobGasUsedRatio: [0],
};

describe('prices of nodes', () => {
  it('are requested once for each head', async () => {
    const network = createFees({ eth_gasPrice: '0xb', eth_maxPriorityFeePerGas: '0x4' });
    const { fees } = network.chain;
    for (let i = 0; i < 3; i++) {
      assert.equal(await fees.getGasPrice(createScope()), '"0xb"');
      assert.equal(await fees.getPriorityFee(createScope()), '"0x4"');
    }
    assert.deepEqual(network.requested(), ['eth_gasPrice []', 'eth_maxPriorityFeePerGas []']);
    const next = new ScriptedChain({ length: 401 });
    network.switchTo(next);
    network.node.behave(answerWith({ eth_gasPrice: '0xc' }, next));
    assert.equal(await fees.getGasPrice(createScope()), '"0xc"');
  });

  it('are requested once for concurrent callers', async () => {
    const { chain: served, requested } = createFees({ eth_gasPrice: '0xb' });
    await Promise.all(Array.from({ length: 20 }, () => served.fees.getGasPrice(createScope())));
    assert.equal(requested().length, 1);
  });

  it('come from nodes that have the head', async () => {
    const tracker = { holds: () => false };
    const behind = createNode({ behaviour: answerWith({ eth_gasPrice: '0x1' }), tier: 0, tracker });
    const level = createNode({ behaviour: answerWith({ eth_gasPrice: '0x2' }), tier: 1 });
    const network = createNetwork(chain, {}, [behind, level]);
    assert.equal(await network.chain.fees.getGasPrice(createScope()), '"0x2"');
  });

  it('are returned in normal form', async () => {
    const { fees } = createFees({ eth_gasPrice: '0x07', eth_maxPriorityFeePerGas: 7 }).chain;
    assert.equal(await fees.getGasPrice(createScope()), '"0x7"');
    assert.equal(await fees.getPriorityFee(createScope()), '"0x7"');
  });

  it('are null if no node has the method, and refused if they are no quantity', async () => {
    const { fees } = createFees({ eth_gasPrice: 'much' }).chain;
    assert.equal(await fees.getPriorityFee(createScope()), null);
    await assert.rejects(fees.getGasPrice(createScope()), { kind: 'unavailable' });
  });
});

describe('the fee history', () => {
  const request = { blockCount: 1, newest: LATEST, percentiles: [10, 50.5] };

  it('is requested at the resolved block, and cached with it', async () => {
    const { chain: served, requested } = createFees({ eth_feeHistory: HISTORY });
    const newest: readonly BlockReference[] = [LATEST, { kind: 'number', number: 399n }, LATEST];
    for (const block of newest) {
      const answer = await served.fees.getFeeHistory({ ...request, newest: block }, createScope());
      assert.deepEqual(JSON.parse(String(answer)), HISTORY);
    }
    assert.deepEqual(requested(), ['eth_feeHistory ["0x1","0x18f",[10,50.5]]']);
  });

  it('of `pending` is not cached', async () => {
    const { chain: served, requested } = createFees({ eth_feeHistory: { ...HISTORY, oldestBlock: '0x190' } });
    const pending: BlockReference = { kind: 'tag', tag: 'pending' };
    for (let i = 0; i < 2; i++)
      await served.fees.getFeeHistory({ ...request, newest: pending }, createScope());
    assert.deepEqual(requested(), Array(2).fill('eth_feeHistory ["0x1","pending",[10,50.5]]'));
  });

  it('above the served head fails with geth’s message', async () => {
    const { chain: served, requested } = createFees({ eth_feeHistory: HISTORY });
    const newest: BlockReference = { kind: 'number', number: 400n };
    await assert.rejects(served.fees.getFeeHistory({ ...request, newest }, createScope()), {
      kind: 'failed',
      message: 'request beyond head block: requested 400, head 399',
    });
    assert.deepEqual(requested(), []);
  });

  it('of other blocks is refused', async () => {
    for (const oldestBlock of ['0x18e', '0x190', 'x', undefined]) {
      const { fees } = createFees({ eth_feeHistory: { ...HISTORY, oldestBlock } }).chain;
      await assert.rejects(fees.getFeeHistory(request, createScope()), { kind: 'unavailable' }, oldestBlock);
    }
    const { fees } = createFees({ eth_feeHistory: [HISTORY] }).chain;
    await assert.rejects(fees.getFeeHistory(request, createScope()), { kind: 'unavailable' }, 'a list');
  });

  it('has its quantities in normal form, also in lists', async () => {
    const padded = {
      ...HISTORY,
      oldestBlock: '0x018f',
      baseFeePerGas: ['0x07', '0x0'],
      reward: [['0x000a', '0x00']],
    };
    const normal = {
      ...padded,
      oldestBlock: '0x18f',
      baseFeePerGas: ['0x7', '0x0'],
      reward: [['0xa', '0x0']],
    };
    const { fees } = createFees({ eth_feeHistory: padded }).chain;
    for (const newest of [LATEST, { kind: 'tag', tag: 'pending' } as const])
      assert.deepEqual(
        JSON.parse(String(await fees.getFeeHistory({ ...request, newest }, createScope()))),
        normal,
      );
  });

  it('may begin later than requested', async () => {
    const { fees } = createFees({ eth_feeHistory: HISTORY }).chain;
    assert.notEqual(await fees.getFeeHistory({ ...request, blockCount: 9 }, createScope()), null);
  });
});

describe('prices of the next block', () => {
  it('come from the history of the head, which is requested once', async () => {
    const { chain: served, requested } = createFees({ eth_feeHistory: HISTORY });
    assert.equal(await served.fees.getBaseFee(createScope()), '"0x8"');
    assert.equal(await served.fees.getBlobBaseFee(createScope()), '"0x3"');
    assert.deepEqual(requested(), ['eth_feeHistory ["0x1","0x18f",[]]']);
  });

  it('come from their own methods if the history lacks them', async () => {
    const { fees } = createFees({
      eth_feeHistory: { ...HISTORY, baseFeePerGas: undefined, baseFeePerBlobGas: [] },
      eth_baseFee: '0x9',
      eth_blobBaseFee: null,
    }).chain;
    assert.equal(await fees.getBaseFee(createScope()), '"0x9"');
    assert.equal(await fees.getBlobBaseFee(createScope()), 'null');
    const bare = createFees({}).chain.fees;
    assert.equal(await bare.getBaseFee(createScope()), null);
    assert.equal(await bare.getBlobBaseFee(createScope()), null);
  });

  it('are null on a chain without such fees', async () => {
    const history = { ...HISTORY, baseFeePerGas: ['0x0', '0x0'], baseFeePerBlobGas: ['0x0', '0x0'] };
    const { fees } = createFees({ eth_feeHistory: history }).chain;
    assert.equal(await fees.getBaseFee(createScope()), 'null');
    assert.equal(await fees.getBlobBaseFee(createScope()), 'null');
  });
});

describe('node status', () => {
  it('a network with a head is not syncing, whatever a node reports', async () => {
    const { chain: served, requested } = createFees({ eth_syncing: { currentBlock: '0x1' } });
    assert.equal(await served.node.getSyncing(createScope()), 'false');
    assert.deepEqual(requested(), []);
  });

  it('the fork config is the reply of a node', async () => {
    const { chain: served } = createFees({ eth_config: { current: null, next: null, last: null } });
    assert.equal(await served.node.getConfig(createScope()), '{"current":null,"next":null,"last":null}');
    assert.equal(await served.node.getCapabilities(createScope()), null);
  });

  it('capabilities have the served head', async () => {
    const state = { disabled: false, oldestBlock: '0x5' };
    const { node } = createFees({ eth_capabilities: { head: { number: '0x999', hash: '0x' }, state } }).chain;
    const answer = JSON.parse(String(await node.getCapabilities(createScope()))) as unknown;
    assert.deepEqual(answer, { head: { number: '0x18f', hash: chain.hashOf(399) }, state });
  });
});
