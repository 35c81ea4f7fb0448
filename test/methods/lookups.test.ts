import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BlockReference } from '../../src/chain/requests.ts';
import type { Network } from '../../src/methods/network.ts';
import { NetworkMethods } from '../../src/methods/network-methods.ts';
import { findMethod } from '../../src/methods/table.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { createFakeChain, type FakeChainParts } from '../support/fake-chain.ts';

const HASH = `0x${'de'.repeat(32)}`;
const BYTES = Array(32).fill(0xde).join(' ');

async function invoke(parts: FakeChainParts, name: string, params: readonly unknown[]): Promise<unknown> {
  const network = createScriptedNetwork(createFakeChain(parts));
  const scope = new RequestScope(performance.now() + 10_000);
  return findMethod(name, network)?.invoke(params, { network, clientVersion: 'v', scope });
}

describe('look-ups', () => {
  it('request the block, and the part of it, that their parameters name', async () => {
    const requested: unknown[] = [];
    const note = (...parameters: unknown[]): string => {
      requested.push(parameters.slice(0, -1));
      return '"0x"';
    };
    const blocks = {
      getBlock: note,
      getHeaderObject: note,
      countTransactions: note,
      countUncles: note,
      getUncle: note,
      getRaw: note,
      getAccessList: note,
    };
    const transactions = { getTransaction: note, getRawTransaction: note, getReceipt: note };
    const byHash: BlockReference = { kind: 'hash', hash: HASH, requireCanonical: false };
    const byNumber: BlockReference = { kind: 'number', number: 16n };
    const safe: BlockReference = { kind: 'tag', tag: 'safe' };
    const cases: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
      ['eth_getBlockByHash', [HASH, true], [byHash, true]],
      ['eth_getBlockByNumber', ['safe', false], [safe, false]],
      ['eth_getHeaderByHash', [HASH], [byHash]],
      ['eth_getHeaderByNumber', ['0x10'], [byNumber]],
      ['eth_getBlockTransactionCountByHash', [HASH], [byHash]],
      ['eth_getBlockTransactionCountByNumber', ['safe'], [safe]],
      ['eth_getUncleCountByBlockHash', [HASH], [byHash]],
      ['eth_getUncleCountByBlockNumber', ['0x10'], [byNumber]],
      ['eth_getUncleByBlockHashAndIndex', [HASH, '0x2'], [byHash, 2n]],
      ['eth_getTransactionByHash', [HASH], [{ hash: HASH }]],
      ['eth_getTransactionByBlockHashAndIndex', [HASH, '0x2'], [{ block: byHash, index: 2n }]],
      ['eth_getTransactionReceipt', [HASH], [HASH]],
      ['eth_getRawTransactionByHash', [HASH], [{ hash: HASH }]],
      ['eth_getRawTransactionByBlockHashAndIndex', [HASH, '0x2'], [{ block: byHash, index: 2n }]],
      ['eth_getRawTransactionByBlockNumberAndIndex', ['0x10', '0x2'], [{ block: byNumber, index: 2n }]],
      ['debug_getRawTransaction', [HASH], [{ hash: HASH }]],
      ['debug_getRawBlock', ['0x10'], [byNumber, 'block']],
      ['debug_getRawHeader', [{ blockHash: HASH, requireCanonical: true }], [byHash, 'header']],
      ['debug_getRawReceipts', [HASH], [byHash, 'receipts']],
      ['eth_getBlockAccessList', [HASH], [byHash, 'objects']],
      ['debug_getRawBlockAccessList', ['safe'], [safe, 'raw']],
    ];
    for (const [name, params, wanted] of cases) {
      assert.equal(await invoke({ blocks, transactions }, name, params), '"0x"', name);
      assert.deepEqual(requested.pop(), wanted, name);
      const upper = params.map((param) => (param === HASH ? HASH.toUpperCase().replace('0X', '0x') : param));
      await invoke({ blocks, transactions }, name, upper);
      assert.deepEqual(requested.pop(), wanted, name);
    }
  });

  it('answer like geth if nothing is found', async () => {
    const none = (): null => null;
    const blocks = { getBlock: none, getHeaderObject: none, countUncles: none, getUncle: none, getRaw: none };
    const transactions = { getTransaction: none, getRawTransaction: none, getReceipt: none };
    const cases: readonly (readonly [string, readonly unknown[], string])[] = [
      ['eth_getBlockByNumber', ['0x1', true], 'null'],
      ['eth_getHeaderByHash', [HASH], 'null'],
      ['eth_getUncleCountByBlockHash', [HASH], 'null'],
      ['eth_getUncleByBlockHashAndIndex', [HASH, '0x0'], 'null'],
      ['eth_getTransactionByHash', [HASH], 'null'],
      ['eth_getTransactionReceipt', [HASH], 'null'],
      ['eth_getRawTransactionByHash', [HASH], '"0x"'],
      ['eth_getRawTransactionByBlockHashAndIndex', [HASH, '0x0'], '"0x"'],
      ['eth_getRawTransactionByBlockNumberAndIndex', ['latest', '0x0'], '"0x"'],
      ['debug_getRawTransaction', [HASH], '"0x"'],
      ['debug_getRawBlock', ['0x1'], '"0x"'],
      ['debug_getRawHeader', ['finalized'], '"0x"'],
      ['debug_getRawReceipts', ['0x1'], 'null'],
      ['debug_getRawReceipts', [HASH], '[]'],
      ['debug_getRawReceipts', ['pending'], '[]'],
    ];
    for (const [name, params, answer] of cases) {
      assert.equal(await invoke({ blocks, transactions }, name, params), answer, name);
    }
    for (const [name, param, message] of [
      ['debug_getRawBlock', HASH, `block #[${BYTES}] not found`],
      ['debug_getRawHeader', { blockHash: HASH }, `header #[${BYTES}] not found`],
      ['debug_getRawBlock', 'pending', 'pending block is not available'],
    ] as const) {
      await assert.rejects(invoke({ blocks }, name, [param]), {
        name: 'RpcError',
        rowName: 'serverError',
        message,
      });
    }
  });

  it('require all of their parameters', async () => {
    for (const [name, params] of [
      ['eth_getBlockByNumber', ['0x1']],
      ['eth_getBlockByHash', [HASH]],
      ['eth_getTransactionByBlockHashAndIndex', [HASH]],
    ] as const) {
      const message = 'missing value for required argument 1';
      await assert.rejects(invoke({}, name, params), { rowName: 'invalidParams', message });
    }
  });
});

const listing = (also: readonly string[]): NetworkMethods =>
  new NetworkMethods({ except: [], reads: [], also, onlyReads: () => true });

describe('methods that have to be listed for networks of nodes', () => {
  const chain = createFakeChain({});
  const find = (overrides: Partial<Network>): string | undefined =>
    findMethod('debug_getRawBlock', createScriptedNetwork(chain, overrides))?.name;

  it('are served on an embedded chain, and where they are listed', () => {
    assert.equal(find({}), 'debug_getRawBlock');
    assert.equal(find({ hasNodes: true, methods: listing(['debug_getRawBlock']) }), 'debug_getRawBlock');
  });

  it('are served where their namespace is forwarded', () => {
    const methods = new NetworkMethods({
      except: [],
      reads: [],
      also: [],
      onlyReads: () => true,
      findPassed: (name) => (name.startsWith('debug_') ? 'debug_*' : undefined),
    });
    assert.equal(find({ hasNodes: true, methods }), 'debug_getRawBlock');
  });

  it('are not served otherwise', () => {
    assert.equal(find({ hasNodes: true }), undefined);
    assert.equal(find({ hasNodes: true, methods: listing(['debug_getRawHeader']) }), undefined);
  });
});
