import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isComplete, type JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import type { Fault } from '../../support/faults/fault.ts';
import { createTestCache, type LiedNetwork, openNetwork } from './liars.ts';

type RpcBlock = {
  readonly number: string;
  readonly transactions: readonly { readonly from: string }[];
  readonly uncles: readonly string[];
};

const ALIEN_HASH = `0x${'11'.repeat(32)}`;
const ALIEN = `0x${'11'.repeat(20)}`;
/** Number of a block's senders that are recovered where nothing contradicts the block. */
const SAMPLE = 4;

const node = useDevnetNode();
const { ask } = node;

async function findBlock(isWanted: (block: RpcBlock) => boolean): Promise<RpcBlock> {
  for (let number = Number(await ask('eth_blockNumber')); number >= 0; number--) {
    const block = (await ask('eth_getBlockByNumber', encodeQuantity(number), true)) as RpcBlock;
    if (isWanted(block)) return block;
  }
  throw new Error('the chain has no such block');
}

const at = ({ number }: RpcBlock): BlockReference => ({ kind: 'number', number: BigInt(number) });

/** A fault that changes every block of a node. */
function lieAboutBlocks(change: (block: RpcBlock) => RpcBlock): Fault {
  return {
    concerns: ({ method }) => method.startsWith('eth_getBlockBy'),
    answer: async (call, askTruth) => {
      const answer = await askTruth(call);
      return 'result' in answer && answer.result !== null
        ? { result: change(answer.result as RpcBlock) }
        : answer;
    },
  };
}

function parse(result: JsonResult | null): unknown {
  assert.ok(result !== null && isComplete(result));
  return JSON.parse(typeof result === 'string' ? result : result.text);
}

const listStates = ({ chain }: LiedNetwork): readonly string[] =>
  chain.describe().upstreams.map(({ state }) => state);

const UNCLE_LIES: Readonly<Record<string, (uncles: readonly string[]) => readonly string[]>> = {
  another: (uncles) => uncles.map(() => ALIEN_HASH),
  'one more': (uncles) => [...uncles, ALIEN_HASH],
  'a thousand more': (uncles) => [...uncles, ...Array.from({ length: 1_000 }, () => ALIEN_HASH)],
};

for (const [name, change] of Object.entries(UNCLE_LIES)) {
  test(`a node that lists ${name} uncle is quarantined, and others answer`, async () => {
    const block = await findBlock(({ uncles }) => uncles.length > 0);
    const fault = lieAboutBlocks((told) =>
      told.uncles.length > 0 ? { ...told, uncles: change(told.uncles) } : told,
    );
    const network = await openNetwork(node.answer, 3, 1, fault);
    try {
      const { blocks } = network.chain;
      const scope = createScope();
      assert.deepEqual(parse(await blocks.getBlock(at(block), true, scope)), block);
      assert.equal(scope.trust, 'proven');
      assert.deepEqual(listStates(network), ['excluded', 'up', 'up']);
      const listed = parse(await blocks.getBlock(at(block), false, createScope())) as RpcBlock;
      assert.deepEqual(listed.uncles, block.uncles);
      assert.deepEqual(parse(await blocks.getBlock(at(block), true, createScope())), block);
    } finally {
      await network.close();
    }
  });

  test(`uncle counts and uncles by index match the header if a node lists ${name}`, async () => {
    const block = await findBlock(({ uncles }) => uncles.length > 0);
    const fault = lieAboutBlocks((told) =>
      told.uncles.length > 0 ? { ...told, uncles: change(told.uncles) } : told,
    );
    const network = await openNetwork(node.answer, 3, 1, fault);
    try {
      const { blocks } = network.chain;
      assert.equal(
        await blocks.countUncles(at(block), createScope()),
        `"${encodeQuantity(block.uncles.length)}"`,
      );
      const uncle = parse(await blocks.getUncle(at(block), 0n, createScope())) as { readonly hash: string };
      assert.equal(uncle.hash, block.uncles[0]);
    } finally {
      await network.close();
    }
  });
}

for (const number of ['0x02', 2])
  test(`a block with uncles is answered if its number is encoded as ${JSON.stringify(number)}`, async () => {
    const block = await findBlock(({ uncles }) => uncles.length > 0);
    const write = (told: RpcBlock): RpcBlock =>
      told.number === block.number
        ? {
            ...told,
            number:
              typeof number === 'string' ? told.number.replace('0x', '0x0') : (Number(told.number) as never),
          }
        : told;
    const network = await openNetwork(node.answer, 3, 1, lieAboutBlocks(write));
    try {
      const { blocks } = network.chain;
      for (const isFull of [false, true]) {
        const answer = parse(await blocks.getBlock(at(block), isFull, createScope())) as RpcBlock;
        assert.equal(Number(answer.number), Number(block.number));
        assert.deepEqual(answer.uncles, block.uncles);
      }
    } finally {
      await network.close();
    }
  });

test('an uncle with wrong content is requested from another node, and the block is verified', async () => {
  const block = await findBlock(({ uncles }) => uncles.length > 0);
  const fault: Fault = {
    concerns: ({ method }) => method.startsWith('eth_getUncleBy'),
    answer: async (call, askTruth) => {
      const answer = await askTruth(call);
      return 'result' in answer && answer.result !== null
        ? { result: { ...answer.result, stateRoot: ALIEN_HASH } }
        : answer;
    },
  };
  const network = await openNetwork(node.answer, 3, 1, fault);
  try {
    const scope = createScope();
    await network.chain.blocks.getBlock(at(block), true, scope);
    assert.equal(scope.trust, 'proven');
  } finally {
    await network.close();
  }
});

test('a cached sender that was not recovered does not refute a node with the true sender', async (t) => {
  const block = await findBlock(({ transactions }) => transactions.length > SAMPLE);
  const fault = lieAboutBlocks((told) => ({
    ...told,
    transactions: told.transactions.map((transaction, index) =>
      index < SAMPLE ? transaction : { ...transaction, from: ALIEN },
    ),
  }));
  const network = await openNetwork(node.answer, 3, 1, fault);
  try {
    const { blocks } = network.chain;
    const random = t.mock.method(Math, 'random', () => 0);
    await blocks.getBlock(at(block), true, createScope());
    random.mock.restore();
    const receipts = parse(await blocks.getReceipts(at(block), createScope()));
    assert.deepEqual(receipts, await ask('eth_getBlockReceipts', block.number));
    assert.deepEqual(listStates(network), ['excluded', 'up', 'up']);
    assert.deepEqual(parse(await blocks.getBlock(at(block), true, createScope())), block);
  } finally {
    await network.close();
  }
});

test('uncles of a block that another process cached are verified', async () => {
  const block = await findBlock(({ uncles }) => uncles.length > 0);
  const cache = createTestCache();
  const settings = { verify: 'require', cache } as const;
  const networks = [
    await openNetwork(node.answer, 2, 0, {}, settings),
    await openNetwork(node.answer, 2, 0, {}, settings),
  ] as const;
  try {
    const scope = createScope();
    assert.deepEqual(parse(await networks[0].chain.blocks.getBlock(at(block), true, scope)), block);
    const { blocks } = networks[1].chain;
    const uncle = parse(await blocks.getUncle(at(block), 0n, scope));
    assert.equal((uncle as { readonly hash: string }).hash, block.uncles[0]);
    assert.equal(scope.trust, 'proven');
    assert.equal(Number(parse(await blocks.countUncles(at(block), createScope()))), block.uncles.length);
  } finally {
    for (const network of networks) await network.close();
  }
});

for (const isFull of [true, false])
  test(`a block whose uncles were not compared is not cached as verified, ${isFull ? 'whole' : 'with hashes'}`, async () => {
    const block = await findBlock(({ uncles }) => uncles.length > 0);
    const cache = createTestCache();
    const lie = lieAboutBlocks((told) =>
      told.uncles.length > 0 ? { ...told, uncles: told.uncles.map(() => ALIEN_HASH) } : told,
    );
    const fault: Fault = {
      concerns: ({ method }) => /^eth_get(Block|Uncle)By/.test(method),
      answer: async (call, askTruth) =>
        call.method.startsWith('eth_getUncleBy')
          ? { error: { code: -32601, message: 'no such method' } }
          : (lie.answer?.(call, askTruth) ?? askTruth(call)),
    };
    const lying = await openNetwork(node.answer, 1, 1, fault, { cache });
    const honest = await openNetwork(node.answer, 2, 0, {}, { cache });
    const requestBlock = async ({ chain }: LiedNetwork, trust: string): Promise<RpcBlock> => {
      const scope = createScope();
      const found = parse(await chain.blocks.getBlock(at(block), isFull, scope));
      assert.equal(scope.trust, trust);
      return found as RpcBlock;
    };
    try {
      assert.deepEqual(
        (await requestBlock(lying, 'single')).uncles,
        block.uncles.map(() => ALIEN_HASH),
      );
      assert.deepEqual((await requestBlock(honest, 'proven')).uncles, block.uncles);
    } finally {
      await lying.close();
      await honest.close();
    }
  });
