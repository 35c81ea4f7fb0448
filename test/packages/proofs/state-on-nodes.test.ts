/** Real nodes with true answers: their state is verified, and none of them is quarantined. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import { startGeth } from '../../geth/node/geth-node.ts';
import { GETH_SKIP } from '../../geth/node/geth-program.ts';
import { executionApisChain } from '../../geth/sides.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { ANVIL_SKIP, startAnvil } from '../../support/anvil.ts';
import { sendToNode } from '../../support/faults/ask-node.ts';
import { findVectors, SKIP_REASON } from '../../support/vectors.ts';
import { openNetwork } from './liars.ts';

const ABSENT = `0x${'77'.repeat(20)}`;
const word = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`;
const SLOTS: readonly string[] = [word(0), word(1), word(2)];
const GAS_LIMIT = 30_000_000n;

async function ask(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const answer = await sendToNode(url, { method, params });
  assert.ok('result' in answer, JSON.stringify(answer));
  return answer.result;
}

/** Compares every read of some accounts at some blocks with the node's own answer. */
async function compareReads(
  url: string,
  addresses: readonly string[],
  blocks: readonly bigint[],
): Promise<void> {
  const network = await openNetwork(url, 2, 0, {});
  try {
    const { state } = network.chain;
    for (const number of blocks) {
      const at = encodeQuantity(number);
      const block: BlockReference = { kind: 'number', number };
      for (const address of addresses) {
        const reads: readonly (readonly [
          string,
          readonly unknown[],
          (scope: ReturnType<typeof createScope>) => unknown,
        ])[] = [
          ['eth_getBalance', [address], (scope) => state.getBalance(address, block, scope)],
          ['eth_getTransactionCount', [address], (scope) => state.getTransactionCount(address, block, scope)],
          ['eth_getCode', [address], (scope) => state.getCode(address, block, scope)],
          ['eth_getProof', [address, SLOTS], (scope) => state.getProof(address, SLOTS, block, scope)],
          ...SLOTS.map(
            (slot) =>
              [
                'eth_getStorageAt',
                [address, slot],
                (scope: ReturnType<typeof createScope>) => state.getStorageAt(address, slot, block, scope),
              ] as const,
          ),
        ];
        await Promise.all(
          reads.map(async ([method, params, read]) => {
            const scope = createScope();
            const where = `${method} ${params.join()} at ${number}`;
            const answer = JSON.parse(String(await read(scope)));
            assert.deepEqual(answer, await ask(url, method, ...params, at), where);
            assert.equal(scope.trust, 'proven', where);
          }),
        );
      }
    }
    const { upstreams, verification } = network.chain.describe();
    assert.deepEqual(
      upstreams.map((each) => each.state),
      ['up', 'up'],
    );
    assert.equal(verification?.counts.refuted, 0);
    assert.equal(verification?.rows.find(({ subject }) => subject === 'state')?.state, 'verified');
  } finally {
    await network.close();
  }
}

/** Anvil's first block has the root of an empty state. */
async function compareGenesis(url: string, address: string): Promise<void> {
  const network = await openNetwork(url, 2, 0, {});
  try {
    const scope = createScope();
    const block: BlockReference = { kind: 'tag', tag: 'earliest' };
    const balance = await network.chain.state.getBalance(address, block, scope);
    assert.equal(JSON.parse(balance), await ask(url, 'eth_getBalance', address, '0x0'));
    assert.equal(scope.trust, 'single');
    const { upstreams, verification } = network.chain.describe();
    assert.deepEqual(
      upstreams.map((each) => each.state),
      ['up', 'up'],
    );
    assert.equal(verification?.rows.find(({ subject }) => subject === 'state')?.state, 'verified');
  } finally {
    await network.close();
  }
}

test('state of anvil is verified, and no node is quarantined', { skip: ANVIL_SKIP }, async () => {
  const anvil = await startAnvil({ args: ['--no-mining'] });
  try {
    const [from = '', to = ''] = (await anvil.request('eth_accounts')) as readonly string[];
    const contracts: string[] = [];
    for (let i = 0; i < 5; i++) {
      // SSTORE(1, number), and a contract of one zero byte.
      const data = '0x4360015560016000f3';
      const hash = await anvil.request('eth_sendTransaction', { from, data, gas: '0x100000' });
      await anvil.request('eth_sendTransaction', { from, to, value: '0x1', gas: '0x100000' });
      await anvil.request('evm_mine');
      const receipt = await anvil.request('eth_getTransactionReceipt', hash);
      contracts.push((receipt as { readonly contractAddress: string }).contractAddress);
    }
    await compareReads(anvil.httpUrl, [from, to, ABSENT, ...contracts.slice(0, 2)], [5n, 4n, 2n]);
    await compareGenesis(anvil.httpUrl, from);
  } finally {
    await anvil.kill();
  }
});

const vectors = findVectors('execution-apis');

test('state of geth is verified, and no node is quarantined', {
  skip: vectors === undefined ? SKIP_REASON : GETH_SKIP,
}, async () => {
  const geth = await startGeth({ ...executionApisChain(vectors as string), blockGasLimit: GAS_LIMIT });
  try {
    const head = BigInt(String(await geth.ask('eth_blockNumber', [])));
    const block = (await geth.ask('eth_getBlockByNumber', [encodeQuantity(head), true])) as {
      readonly transactions: readonly { readonly from: string; readonly to: string | null }[];
      readonly miner: string;
    };
    const touched = block.transactions.flatMap(({ from, to }) => (to === null ? [from] : [from, to]));
    const addresses = [...new Set([...touched, block.miner, ABSENT])].slice(0, 8);
    await compareReads(geth.httpUrl, addresses, [head, head - 1n, head - 20n, 1n]);
  } finally {
    await geth.close();
  }
});
