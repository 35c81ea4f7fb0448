import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type BlockAccessList,
  encodeBlockAccessList,
} from '../../../packages/ethereum/codecs/block-access-list.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { encodeBlockAccessListJson } from '../../../src/chain/block-access-list-json.ts';
import type { AccessListForm, BlockReference } from '../../../src/chain/requests.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import { answer, type Behaviour, createNode, nodeError } from '../../pool/support/scripted-node.ts';

const chain = new ScriptedChain({ length: 20 });
const at = (number: number): BlockReference => ({ kind: 'number', number: BigInt(number) });
const FORK = 10;

const list: BlockAccessList = [
  {
    address: new Uint8Array(20).fill(0xaa),
    storageChanges: [],
    storageReads: [new Uint8Array(32)],
    balanceChanges: [{ index: 1, value: 5n }],
    nonceChanges: [],
    codeChanges: [],
  },
];
const encoded = encodeBlockAccessList(list);
const RAW = `"${bytesToHex(encoded)}"`;
const OBJECTS = [...encodeBlockAccessListJson(list)].join('');
const ANSWERS: Readonly<Record<AccessListForm, string>> = { objects: OBJECTS, raw: RAW };
const METHODS: Readonly<Record<AccessListForm, string>> = {
  objects: 'eth_getBlockAccessList',
  raw: 'debug_getRawBlockAccessList',
};
const FORMS = ['objects', 'raw'] as const;

/** Behaviour in which blocks from `FORK` on commit to their access list. */
const amsterdam =
  (lists: Readonly<Record<string, Behaviour>>): Behaviour =>
  async (call, options) => {
    const own = lists[call.method];
    if (own !== undefined) return own(call, options);
    if (call.method in lists || Object.values(METHODS).includes(call.method)) {
      return nodeError(-32601, 'the method does not exist')(call, options);
    }
    const reply = await chain.behaviour()(call, options);
    if (call.method !== 'eth_getBlockByNumber' || reply.kind === 'error') return reply;
    const block = JSON.parse(reply.result as string);
    if (block === null || Number(block.number) < FORK) return reply;
    const blockAccessListHash = bytesToHex(keccak256(encoded));
    return { kind: 'result', result: JSON.stringify({ ...block, blockAccessListHash }) };
  };

const network = (...behaviours: readonly Behaviour[]): ReturnType<typeof createNetwork> =>
  createNetwork(
    chain,
    {},
    behaviours.map((behaviour, tier) => createNode({ behaviour, tier })),
  );

describe('block access lists of nodes', () => {
  it('are returned if they have the hash of the header, and requested once', async () => {
    for (const form of FORMS) {
      const { chain: served, requested } = network(amsterdam({ [METHODS[form]]: answer(ANSWERS[form]) }));
      for (let i = 0; i < 2; i++) {
        assert.equal(await served.blocks.getAccessList(at(12), form, createScope()), ANSWERS[form]);
      }
      assert.deepEqual(
        requested().filter((call) => call.includes('AccessList')),
        [`${METHODS[form]} ["${form === 'raw' ? '0xc' : chain.hashOf(12)}"]`],
      );
    }
  });

  it('are refused otherwise, and requested from another node', async () => {
    const changed = OBJECTS.replace('"0x5"', '"0x6"');
    for (const lie of [changed, '[]', '{}', 'null', '"0xc0"', '"0x"', '[null]', '["0xc0"]', '[1]']) {
      for (const form of FORMS) {
        const liar = amsterdam({ [METHODS[form]]: answer(lie) });
        const honest = amsterdam({ [METHODS[form]]: answer(ANSWERS[form]) });
        const { chain: served } = network(liar, honest);
        assert.equal(await served.blocks.getAccessList(at(12), form, createScope()), ANSWERS[form], lie);
        const { chain: alone } = network(liar);
        await assert.rejects(async () => alone.blocks.getAccessList(at(12), form, createScope()), {
          kind: lie === 'null' ? 'failed' : 'unavailable',
        });
      }
    }
  });

  it('are converted from the other form if a node has only that one', async () => {
    for (const [form, other] of [
      ['objects', 'raw'],
      ['raw', 'objects'],
    ] as const) {
      const { chain: served } = network(amsterdam({ [METHODS[other]]: answer(ANSWERS[other]) }));
      assert.equal(await served.blocks.getAccessList(at(12), form, createScope()), ANSWERS[form]);
    }
  });

  it('are absent before Amsterdam, without a request for them', async () => {
    const { chain: served, requested } = network(amsterdam({ [METHODS.objects]: answer(OBJECTS) }));
    await assert.rejects(async () => served.blocks.getAccessList(at(9), 'objects', createScope()), {
      kind: 'absent',
    });
    assert.deepEqual(requested(), ['eth_getBlockByNumber ["0x9",false]']);
  });

  it('are null above the head and while pending', async () => {
    const { chain: served } = network(amsterdam({}));
    assert.equal(await served.blocks.getAccessList(at(20), 'raw', createScope()), null);
    const pending = { kind: 'tag', tag: 'pending' } as const;
    assert.equal(await served.blocks.getAccessList(pending, 'raw', createScope()), null);
  });

  it('are pruned if no node stores them any more', async () => {
    const pruned = amsterdam({ [METHODS.objects]: nodeError(4444, 'Pruned history unavailable') });
    const { chain: served } = network(pruned, pruned);
    await assert.rejects(async () => served.blocks.getAccessList(at(12), 'objects', createScope()), {
      kind: 'pruned',
    });
  });
});
