import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockReference } from '../../../src/chain/requests.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import type { Fault } from '../../support/faults/fault.ts';
import { openNetwork } from './liars.ts';

const NUMBER = '0x13';
const OTHER = '0x12';
const BLOCK: BlockReference = { kind: 'number', number: BigInt(NUMBER) };

const node = useDevnetNode();

/** A node in the middle of a reorg: at a height it has a true block, but not the served one. */
const onOtherBranch = (isAbout: (method: string) => boolean, answerWith: 'other' | 'nothing'): Fault => ({
  concerns: ({ method, params }) => isAbout(method) && params[0] === NUMBER,
  answer: (call, ask) =>
    answerWith === 'nothing'
      ? Promise.resolve({ result: [] })
      : ask({ ...call, params: call.params.with(0, OTHER) }),
});

const CASES: Readonly<Record<string, Fault>> = {
  block: onOtherBranch((method) => method === 'eth_getBlockByNumber', 'other'),
  receipts: onOtherBranch((method) => method === 'eth_getBlockReceipts', 'other'),
  'receipts, none': onOtherBranch((method) => method === 'eth_getBlockReceipts', 'nothing'),
};

for (const [name, fault] of Object.entries(CASES)) {
  test(`a node with another block at a height is bypassed, but not quarantined: ${name}`, async () => {
    const network = await openNetwork(node.answer, 2, 1, fault);
    try {
      const { blocks } = network.chain;
      const block = JSON.parse(String(await blocks.getBlock(BLOCK, false, createScope()))) as object;
      assert.deepEqual(block, await node.ask('eth_getBlockByNumber', NUMBER, false));
      await blocks.getReceipts(BLOCK, createScope());
      assert.deepEqual(
        network.chain.describe().upstreams.map(({ state }) => state),
        ['up', 'up'],
      );
    } finally {
      await network.close();
    }
  });
}
