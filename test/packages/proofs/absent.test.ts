/** Nodes that deny existing blocks, headers and transactions. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { isComplete, type JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import type { UpstreamChain } from '../../../src/chains/upstream/upstream-chain.ts';
import type { RequestScope } from '../../../src/util/request-scope.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import type { Fault } from '../../support/faults/fault.ts';
import { type LiedNetwork, type NetworkSettings, openNetwork } from './liars.ts';

/** Methods that liars answer with null; they still report the head. */
const READS = /^(eth_get(Block|Header|Transaction|RawTransaction|Uncle)|debug_getRaw)/;
const HAS_NOTHING: Fault = {
  concerns: ({ method, params }) => READS.test(method) && !isTag(params[0]),
  answer: async () => ({ result: null }),
};
const isTag = (reference: unknown): boolean => typeof reference === 'string' && !reference.startsWith('0x');

type RpcBlock = {
  readonly hash: string;
  readonly number: string;
  readonly transactions: readonly string[];
  readonly uncles: readonly string[];
};
type Send = (chain: UpstreamChain, scope: RequestScope) => unknown;
type Row = readonly [method: string, params: readonly unknown[], ask: Send];

const node = useDevnetNode();
let byNumber: readonly Row[];
let byHash: readonly Row[];

async function findBlock(isWanted: (block: RpcBlock) => boolean): Promise<RpcBlock> {
  for (let number = Number(await node.ask('eth_blockNumber')); number >= 0; number--) {
    const block = (await node.ask('eth_getBlockByNumber', `0x${number.toString(16)}`, false)) as RpcBlock;
    if (isWanted(block)) return block;
  }
  throw new Error('the chain has no such block');
}

before(async () => {
  const block = await findBlock(({ transactions }) => transactions.length >= 3);
  const withUncle = await findBlock(({ uncles }) => uncles.length > 0);
  const at: BlockReference = { kind: 'number', number: BigInt(block.number) };
  const named: BlockReference = { kind: 'hash', hash: block.hash, requireCanonical: false };
  const uncled: BlockReference = { kind: 'number', number: BigInt(withUncle.number) };
  const [, hash = ''] = block.transactions;
  byNumber = [
    ['eth_getBlockByNumber', [block.number, true], (chain, scope) => chain.blocks.getBlock(at, true, scope)],
    [
      'eth_getBlockByNumber',
      [block.number, false],
      (chain, scope) => chain.blocks.getBlock(at, false, scope),
    ],
    ['eth_getBlockReceipts', [block.number], (chain, scope) => chain.blocks.getReceipts(at, scope)],
    [
      'eth_getBlockTransactionCountByNumber',
      [block.number],
      (chain, scope) => chain.blocks.countTransactions(at, scope),
    ],
    [
      'eth_getUncleCountByBlockNumber',
      [withUncle.number],
      (chain, scope) => chain.blocks.countUncles(uncled, scope),
    ],
    [
      'eth_getUncleByBlockNumberAndIndex',
      [withUncle.number, '0x0'],
      (chain, scope) => chain.blocks.getUncle(uncled, 0n, scope),
    ],
    ['debug_getRawBlock', [block.number], (chain, scope) => chain.blocks.getRaw(at, 'block', scope)],
    [
      'eth_getTransactionByBlockNumberAndIndex',
      [block.number, '0x1'],
      (chain, scope) => chain.transactions.getTransaction({ block: at, index: 1n }, scope),
    ],
  ];
  byHash = [
    ['eth_getBlockByHash', [block.hash, true], (chain, scope) => chain.blocks.getBlock(named, true, scope)],
    ['eth_getBlockByHash', [block.hash, false], (chain, scope) => chain.blocks.getBlock(named, false, scope)],
    ['eth_getBlockReceipts', [block.hash], (chain, scope) => chain.blocks.getReceipts(named, scope)],
    [
      'eth_getTransactionByBlockHashAndIndex',
      [block.hash, '0x1'],
      (chain, scope) => chain.transactions.getTransaction({ block: named, index: 1n }, scope),
    ],
    [
      'eth_getTransactionByHash',
      [hash],
      (chain, scope) => chain.transactions.getTransaction({ hash }, scope),
    ],
    ['eth_getTransactionReceipt', [hash], (chain, scope) => chain.transactions.getReceipt(hash, scope)],
    [
      'eth_getRawTransactionByHash',
      [hash],
      (chain, scope) => chain.transactions.getRawTransaction({ hash }, scope),
    ],
  ];
});

type Outcome = 'truth' | 'null' | 'refused' | 'other';

async function check([method, params, read]: Row, { chain }: LiedNetwork): Promise<Outcome> {
  let result: JsonResult | null;
  try {
    result = (await read(chain, createScope())) as JsonResult | null;
  } catch {
    return 'refused';
  }
  if (result === null) return 'null';
  assert.ok(isComplete(result));
  const value: unknown = JSON.parse(typeof result === 'string' ? result : result.text);
  return isDeepStrictEqual(value, await node.ask(method, ...params)) ? 'truth' : 'other';
}

/** Outcome of each request where the first of three nodes have nothing, each in a network of its own. */
async function judgeAll(
  rows: readonly Row[],
  liars: number,
  settings: NetworkSettings,
  prepare: (network: LiedNetwork) => Promise<unknown> = async () => {},
): Promise<Readonly<Record<string, Outcome>>> {
  const outcomes: Record<string, Outcome> = {};
  for (const row of rows) {
    const network = await openNetwork(node.answer, 3, 0, {}, settings);
    try {
      await prepare(network);
      for (const liar of network.nodes.slice(0, liars)) await liar.setFault(HAS_NOTHING);
      outcomes[`${row[0]} ${JSON.stringify(row[1])}`] = await check(row, network);
    } finally {
      await network.close();
    }
  }
  return outcomes;
}

const all = (rows: readonly Row[], outcome: Outcome): Readonly<Record<string, Outcome>> =>
  Object.fromEntries(rows.map(([method, params]) => [`${method} ${JSON.stringify(params)}`, outcome]));

describe('nulls for existing blocks and transactions', () => {
  test('from one of three nodes: every request gets the true result', async () => {
    const rows = [...byNumber, ...byHash];
    assert.deepEqual(await judgeAll(rows, 1, { verify: 'auto' }), all(rows, 'truth'));
  });

  test('from two of three nodes: requests about a verified block get the true result', async () => {
    const rows = byHash;
    // A whole block, so that it is cached.
    const prepare = (network: LiedNetwork): Promise<Outcome> => check(byNumber[0] as Row, network);
    assert.deepEqual(await judgeAll(rows, 2, { verify: 'auto' }, prepare), all(rows, 'truth'));
  });

  test('from two of three nodes with verify: require: requests by hash get the true result, requests by number never a null', async () => {
    assert.deepEqual(await judgeAll(byHash, 2, { verify: 'require' }), all(byHash, 'truth'));
    // A height that only one node reports is never verified.
    const outcomes = new Set(Object.values(await judgeAll(byNumber, 2, { verify: 'require' })));
    assert.deepEqual(outcomes, new Set(['truth', 'refused']));
  });

  test('are accepted for absent blocks and transactions', async () => {
    const network = await openNetwork(node.answer, 3, 0, {}, { verify: 'require' });
    const hash = `0x${'77'.repeat(32)}`;
    const named: BlockReference = { kind: 'hash', hash, requireCanonical: false };
    try {
      for (const read of [
        network.chain.transactions.getTransaction({ hash }, createScope()),
        network.chain.transactions.getReceipt(hash, createScope()),
        network.chain.transactions.getRawTransaction({ hash }, createScope()),
        network.chain.blocks.getBlock(named, true, createScope()),
      ])
        assert.equal(await read, null);
    } finally {
      await network.close();
    }
  });
});
