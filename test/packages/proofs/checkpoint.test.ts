import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { Members } from '../../../packages/proofs/findings.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import type { Checkpoint } from '../../../src/pool/options.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../../support/anvil.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import { sendToNode } from '../../support/faults/ask-node.ts';
import type { Call, Fault } from '../../support/faults/fault.ts';
import { forgeBlock } from '../../verified/lies.ts';
import { type LiedNetwork, openNetwork } from './liars.ts';

/** Longer than a stall of a busy machine, ms. */
const PATIENCE_MS = 60_000;

const node = useDevnetNode();
const at = (number: bigint): BlockReference => ({ kind: 'number', number });

async function readBlock(url: string, number: bigint): Promise<Members> {
  const params = [encodeQuantity(number), false];
  const answer = await sendToNode(url, { method: 'eth_getBlockByNumber', params });
  assert.ok('result' in answer);
  return answer.result as Members;
}

async function readCheckpoint(url: string, number: bigint): Promise<Checkpoint> {
  return { number, hash: String((await readBlock(url, number))['hash']) };
}

/** Reads a block's hash from the network, and its trust. */
async function ask({ chain }: LiedNetwork, number: bigint): Promise<{ hash: unknown; trust: unknown }> {
  const scope = createScope();
  const block = JSON.parse(String(await chain.blocks.getBlock(at(number), false, scope))) as Members;
  return { hash: block['hash'], trust: scope.trust };
}

describe('a checkpoint', () => {
  const POINT = 40n;
  let head: bigint;

  before(async () => {
    head = BigInt(String(await node.ask('eth_blockNumber')));
  });

  test('verifies its ancestors with one node, and no block above it', async () => {
    const checkpoint = await readCheckpoint(node.url, POINT);
    const network = await openNetwork(node.answer, 1, 0, {}, { verify: 'require', checkpoint });
    try {
      for (const number of [POINT, POINT - 1n, 3n, 0n]) {
        const { hash } = await readBlock(node.url, number);
        assert.deepEqual(await ask(network, number), { hash, trust: 'proven' }, `${number}`);
      }
      await assert.rejects(ask(network, POINT + 1n), /only one node in service has the block/);
    } finally {
      await network.close();
    }
  });

  test('leaves blocks above it to two nodes, which have to link them to the checkpoint', async () => {
    const checkpoint = await readCheckpoint(node.url, POINT);
    const other = await readCheckpoint(node.url, POINT - 1n);
    for (const [point, isLinked] of [
      [checkpoint, true],
      [{ ...checkpoint, hash: other.hash }, false],
    ] as const) {
      const network = await openNetwork(node.answer, 2, 0, {}, { verify: 'require', checkpoint: point });
      try {
        const requested = ask(network, head);
        if (isLinked) assert.equal((await requested).trust, 'proven');
        else await assert.rejects(requested, /link the block to the checkpoint at block 40/);
      } finally {
        await network.close();
      }
    }
  });

  test('detects a block that all nodes have forged, which is undetected without a checkpoint', async () => {
    const forged = forgeBlock(await readBlock(node.url, 30n));
    assert.ok(forged !== undefined);
    const fault: Fault = { answer: forged.lie };
    const accepted = await openNetwork(node.answer, 3, 3, fault, { isFromStart: true });
    assert.deepEqual(await ask(accepted, 30n), { hash: forged.hash, trust: 'proven' });
    await accepted.close();
    const checkpoint = await readCheckpoint(node.url, POINT);
    for (const verify of ['auto', 'require'] as const) {
      const network = await openNetwork(node.answer, 3, 3, fault, { isFromStart: true, verify, checkpoint });
      try {
        const found = await ask(network, 30n).catch(() => undefined);
        assert.notEqual(found?.trust, 'proven');
        if (verify === 'require') assert.equal(found, undefined);
        for (const each of network.nodes) await each.setFault();
        assert.deepEqual(await ask(network, 29n), {
          hash: (await readBlock(node.url, 29n))['hash'],
          trust: 'proven',
        });
      } finally {
        await network.close();
      }
    }
  });
});

describe('a distant checkpoint', { skip: ANVIL_SKIP }, () => {
  const BLOCKS = 1_200n;
  let anvil: Anvil;

  before(async () => {
    anvil = await startAnvil({ args: ['--no-mining'] });
    await anvil.request('anvil_mine', encodeQuantity(BLOCKS));
  });
  after(() => anvil.kill());

  /** Nodes that cannot prove the block hashes in a block's state. */
  const withoutProofs: Fault = {
    concerns: ({ method }) => method === 'eth_getProof',
    answer: () => Promise.resolve({ error: { code: -32601, message: 'the method does not exist' } }),
  };

  for (const [name, point, number] of [
    ['above', BLOCKS, 20n],
    ['below', 20n, BLOCKS],
  ] as const) {
    test(`${name} the requested block is linked through older block hashes in the state`, async () => {
      const checkpoint = await readCheckpoint(anvil.httpUrl, point);
      const network = await openNetwork(anvil.httpUrl, 2, 0, {}, { verify: 'require', checkpoint });
      try {
        const requested: string[] = [];
        // The fault concerns nothing. Requests of the head by its tag, which an open network sends repeatedly, are not counted.
        const concerns = ({ method, params: [first] }: Call): boolean => {
          if (method === 'eth_getProof' || String(first).startsWith('0x')) requested.push(method);
          return false;
        };
        for (const node of network.nodes) await node.setFault({ concerns });
        assert.equal((await ask(network, number)).trust, 'proven');
        assert.ok(requested.includes('eth_getProof'));
        assert.ok(requested.length < 100, `${requested.length} questions`);
        for (const between of [1_150n, 700n]) assert.equal((await ask(network, between)).trust, 'proven');
      } finally {
        await network.close();
      }
    });

    test(`${name} the requested block is not linked without state proofs, and the error suggests a nearer one`, async () => {
      const checkpoint = await readCheckpoint(anvil.httpUrl, point);
      const options = { verify: 'require', checkpoint, isFromStart: true } as const;
      const network = await openNetwork(anvil.httpUrl, 2, 2, withoutProofs, options);
      try {
        await assert.rejects(
          ask(network, number),
          /check the number and hash of the checkpoint, or configure one that is nearer/,
        );
      } finally {
        await network.close();
      }
    });
  }

  test('links new blocks after a reorg', async () => {
    const checkpoint = await readCheckpoint(anvil.httpUrl, 1_190n);
    const network = await openNetwork(anvil.httpUrl, 2, 0, {}, { verify: 'require', checkpoint });
    try {
      const before = await ask(network, BLOCKS);
      assert.equal(before.trust, 'proven');
      const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
      await anvil.request('anvil_reorg', 3, [[{ from, to: from, value: '0x1' }, 0]]);
      const { hash } = await readBlock(anvil.httpUrl, BLOCKS);
      assert.notEqual(hash, before.hash);
      for (const limit = performance.now() + PATIENCE_MS; performance.now() < limit; await sleep(20))
        if (network.chain.heads.served?.hash === hash) break;
      assert.deepEqual(await ask(network, BLOCKS), { hash, trust: 'proven' });
    } finally {
      await network.close();
    }
  });
});
