import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StateReads } from '../../../src/chain/chain.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import { RequestScope } from '../../../src/util/request-scope.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork, type ScriptedNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer, type Behaviour, createNode, nodeError } from '../../pool/support/scripted-node.ts';
import { setNode } from '../../pool/support/set-node.ts';

const chain = new ScriptedChain({ length: 400 });
const ADDRESS = `0x${'ab'.repeat(20)}`;
const OTHER = `0x${'0c'.repeat(20)}`;
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const PENDING: BlockReference = { kind: 'tag', tag: 'pending' };
const at = (number: number): BlockReference => ({ kind: 'number', number: BigInt(number) });
const hashed = (hash: string, requireCanonical = false): BlockReference => ({
  kind: 'hash',
  hash,
  requireCanonical,
});
const PROOF = JSON.stringify({
  address: ADDRESS,
  accountProof: ['0xc0'],
  storageProof: [{ key: '0x1', value: '0x0', proof: [] }],
});

/** A network of nodes with one behaviour for everything except blocks. */
function createEcho(behaviour: Behaviour, count = 1): ScriptedNetwork {
  const either: Behaviour = (call, options) =>
    (call.method.startsWith('eth_getBlockBy') ? chain.behaviour() : behaviour)(call, options);
  return createNetwork(
    chain,
    {},
    Array.from({ length: count }, (_, tier) => createNode({ behaviour: either, tier })),
  );
}

type Read = {
  readonly method: string;
  readonly subject: readonly unknown[];
  readonly good: string;
  readonly bad: readonly string[];
  ask(state: StateReads, block: BlockReference): unknown;
};

const READS: readonly Read[] = [
  {
    method: 'eth_getBalance',
    subject: [ADDRESS],
    good: '"0x10"',
    bad: ['"0x"', '"16"', '1.5', 'null', `"0x1${'0'.repeat(64)}"`],
    ask: (state, block) => state.getBalance(ADDRESS, block, createScope()),
  },
  {
    method: 'eth_getTransactionCount',
    subject: [ADDRESS],
    good: '"0x7"',
    bad: ['"7"', '{}', 'null'],
    ask: (state, block) => state.getTransactionCount(ADDRESS, block, createScope()),
  },
  {
    method: 'eth_getCode',
    subject: [ADDRESS],
    good: '"0x6001"',
    bad: ['"0x600"', '""', 'null'],
    ask: (state, block) => state.getCode(ADDRESS, block, createScope()),
  },
  {
    method: 'eth_getStorageAt',
    subject: [ADDRESS, word(1)],
    good: `"${word(9)}"`,
    bad: ['"9"', `"0x${'0'.repeat(65)}"`, 'null', '[]'],
    ask: (state, block) => state.getStorageAt(ADDRESS, word(1), block, createScope()),
  },
  {
    method: 'eth_getStorageValues',
    subject: [{ [ADDRESS]: [word(1)] }],
    good: `{"${ADDRESS}":["${word(9)}"]}`,
    bad: ['{}', `{"${ADDRESS}":[]}`, `{"${OTHER}":["0x0"]}`, '[]', '["0x0","0x1"]', 'null', '"0x"'],
    ask: (state, block) => state.getStorageValues(new Map([[ADDRESS, [word(1)]]]), block, createScope()),
  },
  {
    method: 'eth_getProof',
    subject: [ADDRESS, ['0x1']],
    good: PROOF,
    bad: ['{}', '[]', 'null', PROOF.replaceAll('ab', 'ba'), PROOF.replace('"proof"', '"none"')],
    ask: (state, block) => state.getProof(ADDRESS, ['0x1'], block, createScope()),
  },
];

for (const { method, subject, good, bad, ask } of READS) {
  describe(method, () => {
    it('sends the served block in place of a tag, and one request per block', async () => {
      const { chain: served, requested } = createEcho(answer(good));
      const names = [LATEST, at(399), hashed(chain.hashOf(399)), hashed(chain.hashOf(399), true)];
      for (const block of names) assert.equal(await ask(served.state, block), good);
      assert.deepEqual(requested(), [`${method} ${JSON.stringify([...subject, '0x18f'])}`]);
      await ask(served.state, at(398));
      assert.equal(requested().filter((call) => call.startsWith(method)).length, 2);
    });

    it('names the block by its hash if the node accepts hashes', async () => {
      const network = createEcho(answer(good));
      setNode(network.node.upstream, {
        identity: {
          chainId: 1n,
          genesisHash: undefined,
          clientVersion: 'Geth/v1',
          knowsHashParameters: true,
        },
      });
      await ask(network.chain.state, hashed(chain.hashOf(399), true));
      const last = { blockHash: chain.hashOf(399), requireCanonical: true };
      assert.deepEqual(JSON.parse(network.node.requested.calls[0]?.params ?? ''), [...subject, last]);
    });

    it('caches nothing of pending', async () => {
      const { chain: served, requested } = createEcho(answer(good));
      for (let i = 0; i < 2; i++) assert.equal(await ask(served.state, PENDING), good);
      assert.deepEqual(requested(), Array(2).fill(`${method} ${JSON.stringify([...subject, 'pending'])}`));
    });

    it('is an error above the head, without a request', async () => {
      const { chain: served, requested } = createEcho(answer(good));
      const refused = { name: 'ChainError', kind: 'failed', message: 'header not found' };
      await assert.rejects(async () => ask(served.state, at(400)), refused);
      assert.deepEqual(requested(), []);
    });

    it('refuses an answer of another shape, and is sent to another node', async () => {
      for (const result of bad) {
        const alone = createEcho(answer(result));
        await assert.rejects(async () => ask(alone.chain.state, LATEST), { name: 'ChainError' }, result);
        const both = createNetwork(chain, {}, [
          createNode({ behaviour: answer(result), tier: 1 }),
          createNode({ behaviour: answer(good), tier: 2 }),
        ]);
        assert.equal(await ask(both.chain.state, LATEST), good, result);
      }
    });
  });
}

it('a storage word without its leading zeros is padded', async () => {
  for (const short of ['"0x9"', '"0x09"', '"0x"']) {
    const { chain: served } = createEcho(answer(short));
    const value = short === '"0x"' ? word(0) : word(9);
    assert.equal(await served.state.getStorageAt(ADDRESS, word(1), LATEST, createScope()), `"${value}"`);
  }
});

describe('eth_getStorageValues', () => {
  const requests = new Map([
    [OTHER, [word(3)]],
    [ADDRESS, [word(1), word(2)]],
  ]);
  const wanted = { [OTHER]: [word(3)], [ADDRESS]: [word(1), word(2)] };

  it('is composed of single slots if a node lacks it', async () => {
    const slotBySlot: Behaviour = (call, options) => {
      const [, slot] = JSON.parse(call.params) as string[];
      const behaviour =
        call.method === 'eth_getStorageAt'
          ? answer(JSON.stringify(slot))
          : nodeError(-32601, 'the method eth_getStorageValues does not exist/is not available');
      return behaviour(call, options);
    };
    for (const [block, name] of [
      [LATEST, '0x18f'],
      [PENDING, 'pending'],
    ] as const) {
      const { chain: served, node } = createEcho(slotBySlot);
      const values = await served.state.getStorageValues(requests, block, createScope());
      assert.deepEqual(JSON.parse(values), wanted);
      assert.deepEqual(
        node.requested.calls.slice(-3).map(({ params }) => JSON.parse(params)),
        [
          [OTHER, word(3), name],
          [ADDRESS, word(1), name],
          [ADDRESS, word(2), name],
        ],
      );
    }
  });

  it('accepts addresses in any case, and returns them in the order of the request', async () => {
    const upper = {
      [`0x${'AB'.repeat(20)}`]: ['0x1', word(2)],
      [OTHER.toUpperCase().replace('X', 'x')]: ['0x3'],
    };
    const { chain: served } = createEcho(answer(JSON.stringify(upper)));
    assert.equal(
      await served.state.getStorageValues(requests, LATEST, createScope()),
      JSON.stringify(wanted),
    );
  });
});

it('a request too large to be a cache key is sent each time', async () => {
  const slots = Array.from({ length: 1_024 }, (_, i) => word(i));
  const { chain: served, node } = createEcho(answer(JSON.stringify({ [ADDRESS]: slots })));
  for (let i = 0; i < 2; i++)
    await served.state.getStorageValues(new Map([[ADDRESS, slots]]), LATEST, createScope());
  assert.equal(node.requested.calls.length, 2);
});

describe('reads of many slots', () => {
  const slots = Array.from({ length: 512 }, (_, i) => word(i));
  const values = JSON.stringify({ [ADDRESS]: slots.map(() => word(0)) });
  const proof = JSON.stringify({
    address: ADDRESS,
    accountProof: ['0xc0'],
    storageProof: slots.map((key) => ({ key, value: '0x0', proof: [] })),
  });
  const requests = new Map([[ADDRESS, slots]]);
  for (const [name, reply, ask] of [
    ['eth_getProof', proof, (state, block, scope) => state.getProof(ADDRESS, slots, block, scope)],
    ['eth_getStorageValues', values, (state, block, scope) => state.getStorageValues(requests, block, scope)],
  ] as const satisfies readonly (readonly [
    string,
    string,
    (state: StateReads, block: BlockReference, scope: RequestScope) => unknown,
  ])[]) {
    for (const block of [at(200), PENDING]) {
      it(`${name} at ${block.kind}: slots count for the rate limit of the key, also without a proof`, async () => {
        const { chain: network } = createEcho(answer(reply));
        const scopeOf = (owner: string): RequestScope => {
          const scope = new RequestScope(performance.now() + 900);
          scope.owner = owner;
          return scope;
        };
        await ask(network.state, block, scopeOf('a'));
        await assert.rejects(
          async () => ask(network.state, block, scopeOf('a')),
          (error) => error instanceof ChainError && error.bound === 'state.keys',
        );
        await ask(network.state, block, scopeOf('b'));
      });
    }
  }
});
