import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isComplete, type JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { BlockReference } from '../../../src/chain/requests.ts';
import type { UpstreamChain } from '../../../src/chains/upstream/upstream-chain.ts';
import type { RequestScope } from '../../../src/util/request-scope.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import type { Call } from '../../support/faults/fault.ts';
import { lieAt, listLeaves, openNetwork, type Path } from './liars.ts';

type Request = {
  readonly name: string;
  readonly ask: (chain: UpstreamChain, scope: RequestScope) => unknown;
  /** Method whose answers the liars change. */
  readonly method: string;
  readonly params: readonly unknown[];
  /** Expected answer, where it is not the node's own. */
  readonly truth?: unknown;
  /** Members that the answer lacks. */
  readonly without?: ReadonlySet<string>;
};

const UNCOVERED: ReadonlySet<string> = new Set(['size', 'totalDifficulty', 'blobGasPrice']);
/** Number of changed leaves per answer. */
const LEAVES = 5;
/** Members of a block that its header lacks. */
const BODY: ReadonlySet<string> = new Set(['transactions', 'uncles', 'withdrawals']);
/** Members of a transaction's place, which may change: a node that is wrong about it is not quarantined. */
const PLACE: ReadonlySet<string> = new Set(['blockHash', 'blockNumber', 'transactionIndex', 'hash']);

const node = useDevnetNode();
const { ask } = node;

const at = (number: bigint): BlockReference => ({ kind: 'number', number });

type RpcBlock = {
  readonly hash: string;
  readonly number: string;
  readonly transactions: readonly string[];
  readonly uncles: readonly string[];
};

/** Finds the newest block of a kind. */
async function findBlock(isWanted: (block: RpcBlock) => boolean): Promise<RpcBlock> {
  const head = Number(await ask('eth_blockNumber'));
  for (let number = head; number >= 0; number--) {
    const block = (await ask('eth_getBlockByNumber', encodeQuantity(number), false)) as RpcBlock;
    if (isWanted(block)) return block;
  }
  throw new Error('the chain has no such block');
}

async function listQuestions(): Promise<readonly Request[]> {
  const block = await findBlock(({ transactions }) => transactions.length >= 3);
  const withUncles = await findBlock(({ uncles }) => uncles.length > 0);
  const number = BigInt(block.number);
  const [hash = ''] = block.transactions;
  return [
    {
      name: 'block',
      ask: (chain, scope) => chain.blocks.getBlock(at(number), true, scope),
      method: 'eth_getBlockByNumber',
      params: [block.number, true],
    },
    {
      name: 'block by hash',
      ask: (chain, scope) =>
        chain.blocks.getBlock({ kind: 'hash', hash: block.hash, requireCanonical: false }, true, scope),
      method: 'eth_getBlockByHash',
      params: [block.hash, true],
    },
    {
      name: 'receipts',
      ask: (chain, scope) => chain.blocks.getReceipts(at(number), scope),
      method: 'eth_getBlockReceipts',
      params: [block.number],
    },
    {
      name: 'transaction by hash',
      ask: (chain, scope) => chain.transactions.getTransaction({ hash }, scope),
      method: 'eth_getTransactionByHash',
      params: [hash],
    },
    {
      name: 'transaction by place',
      ask: (chain, scope) => chain.transactions.getTransaction({ block: at(number), index: 1n }, scope),
      method: 'eth_getTransactionByBlockNumberAndIndex',
      params: [block.number, '0x1'],
    },
    {
      name: 'raw block',
      ask: (chain, scope) => chain.blocks.getRaw(at(number), 'block', scope),
      method: 'debug_getRawBlock',
      params: [block.number],
    },
    {
      name: 'raw receipts',
      ask: (chain, scope) => chain.blocks.getRaw(at(number), 'receipts', scope),
      method: 'debug_getRawReceipts',
      params: [block.number],
    },
    {
      name: 'raw header',
      ask: (chain, scope) => chain.blocks.getRaw(at(number), 'header', scope),
      method: 'debug_getRawHeader',
      params: [block.number],
    },
    {
      name: 'header',
      ask: (chain, scope) => chain.blocks.getHeaderObject(at(number), scope),
      method: 'eth_getBlockByNumber',
      params: [block.number, false],
      without: BODY,
    },
    {
      name: 'block with hashes',
      ask: (chain, scope) => chain.blocks.getBlock(at(number), false, scope),
      method: 'eth_getBlockByNumber',
      params: [block.number, true],
      truth: await ask('eth_getBlockByNumber', block.number, false),
    },
    {
      name: 'receipt by hash',
      ask: (chain, scope) => chain.transactions.getReceipt(hash, scope),
      method: 'eth_getBlockReceipts',
      params: [block.number],
      truth: await ask('eth_getTransactionReceipt', hash),
    },
    {
      name: 'block with uncles',
      ask: (chain, scope) => chain.blocks.getBlock(at(BigInt(withUncles.number)), true, scope),
      method: 'eth_getBlockByNumber',
      params: [withUncles.number, true],
    },
    {
      name: 'uncle',
      ask: (chain, scope) => chain.blocks.getUncle(at(BigInt(withUncles.number)), 0n, scope),
      method: 'eth_getUncleByBlockNumberAndIndex',
      params: [withUncles.number, '0x0'],
    },
  ];
}

/** Returns the answer's value; undefined where it was refused. */
async function getAnswer(request: Request, chain: UpstreamChain, scope: RequestScope): Promise<unknown> {
  const result = (await request.ask(chain, scope)) as JsonResult;
  assert.ok(isComplete(result));
  return JSON.parse(typeof result === 'string' ? result : result.text);
}

function chooseLeaves(answer: unknown, { without }: Request): readonly Path[] {
  const paths = [...listLeaves(answer)]
    .map(({ path }) => path)
    .filter((path) => !UNCOVERED.has(String(path.at(-1))) && without?.has(String(path[0])) !== true);
  const step = Math.max(1, paths.length / LEAVES);
  return Array.from(
    { length: Math.min(LEAVES, paths.length) },
    (_, i) => paths[Math.floor(i * step)] as Path,
  );
}

const isAbout =
  ({ method, params }: Request) =>
  (call: Call): boolean =>
    call.method === method &&
    (method.startsWith('debug_') || JSON.stringify(call.params) === JSON.stringify(params));

test('every answer is verified if no node lies', async () => {
  const network = await openNetwork(node.answer, 2, 0, {});
  try {
    for (const request of await listQuestions()) {
      const scope = createScope();
      const { truth = await ask(request.method, ...request.params) } = request;
      const answer = await getAnswer(request, network.chain, scope);
      if (request.without === undefined) assert.deepEqual(answer, truth, request.name);
      assert.equal(scope.trust, 'proven', request.name);
    }
  } finally {
    await network.close();
  }
});

test('one lying node of three: every answer is true, and the node is quarantined', async () => {
  for (const request of await listQuestions()) {
    const told = await ask(request.method, ...request.params);
    const { truth = told } = request;
    for (const path of chooseLeaves(told, request)) {
      const network = await openNetwork(node.answer, 3, 1, lieAt(isAbout(request), path));
      try {
        const where = `${request.name}: ${path.join('.')}`;
        const answer = await getAnswer(request, network.chain, createScope());
        if (request.without === undefined) assert.deepEqual(answer, truth, where);
        const { state } = network.chain.describe().upstreams[0] ?? {};
        const isPlace = request.name.startsWith('transaction by') && PLACE.has(String(path[0]));
        // Then the encoded header is that of another block.
        if (!isPlace && request.name !== 'raw header') assert.equal(state, 'excluded', where);
      } finally {
        await network.close();
      }
    }
  }
});

test('only a lying node and verify: require: its answer is never returned', async () => {
  for (const request of await listQuestions()) {
    const told = await ask(request.method, ...request.params);
    for (const path of chooseLeaves(told, request)) {
      const fault = lieAt(isAbout(request), path);
      const network = await openNetwork(node.answer, 1, 1, fault, { verify: 'require' });
      try {
        const where = `${request.name}: ${path.join('.')}`;
        await assert.rejects(getAnswer(request, network.chain, createScope()), where);
      } finally {
        await network.close();
      }
    }
  }
});
