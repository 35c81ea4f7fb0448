/** Nodes whose answers cannot be verified, or only in part: `verify: auto`, the default, answers as `off` does. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { type Lie, type Reply, Stage } from '../../verified/lied-network.ts';
import { listQuestions } from '../../verified/questions.ts';
import { DEVNET } from '../../verified/sources.ts';
import { askResult, type Request, type Truth } from '../../verified/truth.ts';

const BLOCKS = 3;
const NOT_FOUND = { code: -32601, message: 'the method does not exist' };
/** Methods that every node has. */
const NEEDED = /^(eth_chainId|net_version|web3_clientVersion|eth_syncing|eth_blockNumber|eth_getBlockBy.*)$/;

type Block = { readonly hash: string; readonly number: string };

/** A lie in which every block has a hash other than its header's, the same in all answers. */
async function inventHashes(truth: Truth): Promise<Lie> {
  const head = Number(await askResult(truth, 'eth_blockNumber'));
  const numbers = Array.from({ length: head + 1 }, (_, number) => `0x${number.toString(16)}`);
  const blocks = await Promise.all(
    numbers.map((number) => askResult(truth, 'eth_getBlockByNumber', number, false)),
  );
  const invented = new Map(
    (blocks as readonly Block[]).map(({ hash }) => [hash, bytesToHex(keccak256(hexToBytes(hash)))]),
  );
  const real = new Map([...invented].map(([hash, other]) => [other, hash]));
  const replace = <T>(value: T, names: ReadonlyMap<string, string>): T =>
    JSON.parse(JSON.stringify(value), (_, each: unknown) =>
      typeof each === 'string' ? (names.get(each) ?? each) : each,
    ) as T;
  return async ({ method, params }, ask) =>
    replace(await ask({ method, params: replace(params, real) }), invented);
}

/** A lie in which every second method does not exist. */
function lackMethods(requests: readonly Request[]): Lie {
  const names = [...new Set(requests.map(({ method }) => method))].filter((name) => !NEEDED.test(name));
  const lacking = new Set(names.filter((_, i) => i % 2 === 0));
  lacking.add('eth_getProof');
  return async (request, ask) => (lacking.has(request.method) ? { error: NOT_FOUND } : ask(request));
}

/** A lie in which only the headers of the newest and of the first block exist. */
function lackBlocks(head: string): Lie {
  return async (request, ask) => {
    const [block, isFull] = request.params;
    const isKept = ['latest', head, '0x0'].includes(String(block)) && isFull === false;
    return request.method !== 'eth_getBlockByNumber' || isKept
      ? ask(request)
      : { error: { code: 4444, message: 'pruned history unavailable' } };
  };
}

/** A lie in which the chain has only its first block. */
const ONE_BLOCK: Lie = async ({ method, params }, ask) => {
  if (method === 'eth_blockNumber') return { result: '0x0' };
  const first = params.map((each) => (each === 'latest' ? '0x0' : each));
  const isOther = /^0x[1-9a-f][0-9a-f]{0,7}$/.test(String(first[0])) || String(first[0]).length === 66;
  return isOther ? { result: null } : ask({ method, params: first });
};
const AT_GENESIS: readonly Request[] = [
  { method: 'eth_getBlockByNumber', params: ['latest', true] },
  { method: 'eth_getBlockByNumber', params: ['0x0', false] },
  { method: 'eth_getBlockReceipts', params: ['0x0'] },
  { method: 'eth_getBalance', params: [`0x${'11'.repeat(20)}`, 'latest'] },
];

describe('verify: auto', () => {
  let truth: Truth;
  let requests: readonly Request[];
  const lies = new Map<string, Lie>();
  before(async () => {
    truth = await DEVNET.open();
    requests = [...AT_GENESIS, ...(await listQuestions(truth, BLOCKS))];
    lies.set('invented hashes', await inventHashes(truth));
    lies.set('one block', ONE_BLOCK);
    lies.set('half of the methods', lackMethods(requests));
    lies.set('no recent blocks', lackBlocks(String(await askResult(truth, 'eth_blockNumber'))));
  });
  after(() => truth.close());

  async function requestAll(nodes: number, lie: Lie | undefined, verify: 'auto' | 'off'): Promise<Reply[]> {
    const stage = await Stage.open(truth, nodes);
    stage.setLie(nodes, lie);
    const network = await stage.openChain(nodes, 0, { transport: 'HTTP', verify });
    try {
      const replies: Reply[] = [];
      for (const request of requests) replies.push(await network.ask(request));
      const excluded = network.chain.describe().upstreams.filter(({ state }) => state === 'excluded');
      assert.deepEqual(excluded, []);
      return replies;
    } finally {
      await network.chain.close();
      await stage.close();
    }
  }

  for (const name of ['invented hashes', 'half of the methods', 'no recent blocks', 'one block'])
    for (const nodes of [1, 3])
      test(`has the same answers as verify: off from ${nodes} with ${name}`, async () => {
        const lie = lies.get(name);
        const [plain, verified] = [await requestAll(nodes, lie, 'off'), await requestAll(nodes, lie, 'auto')];
        let answered = 0;
        for (const [i, reply] of plain.entries()) {
          const other = verified[i] as Reply;
          const { method, params } = requests[i] as Request;
          const request = JSON.stringify([method, params]);
          assert.equal(
            'error' in other,
            'error' in reply,
            `${request}: ${JSON.stringify(other).slice(0, 300)}`,
          );
          if ('error' in reply || 'error' in other) continue;
          assert.deepEqual(other.value, reply.value, request);
          answered++;
        }
        assert.ok(answered >= AT_GENESIS.length, `${answered} of ${requests.length} answers`);
      });
});
