/** Logs of networks of nodes: how a range is split into requests, and how the answers are combined. */
import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { DEFAULT_LOG_LIMITS, type LogLimits } from '../../../src/chain/log-range.ts';
import type { LogFilter } from '../../../src/chain/requests.ts';
import { LogPieces } from '../../../src/chains/upstream/log-pieces.ts';
import type { NodeCall } from '../../../src/pool/node-call.ts';
import { SharedBudget } from '../../../src/util/shared-budget.ts';
import { SLOT_MS } from '../../../src/util/slot-scheduler.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork, type ScriptedNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import {
  answer,
  type Behaviour,
  createNode,
  fault,
  nodeError,
  type ScriptedNode,
} from '../../pool/support/scripted-node.ts';
import { spin, watchTurns } from '../../support/watch-turns.ts';

const HEAD = 399;
const chain = new ScriptedChain({ length: HEAD + 1 });
const ADDRESSES = ['aa', 'bb'].map((byte) => `0x${byte.repeat(20)}`) as [string, string];
const TOPIC = `0x${'70'.repeat(32)}`;

const hex = (value: number): string => `0x${value.toString(16)}`;
const numbered = (number: number) => ({ kind: 'number', number: BigInt(number) }) as const;

type WireLog = Readonly<Record<string, unknown>>;

/** Two logs in every third block, one for each address. */
function logsOf(number: number): WireLog[] {
  if (number % 3 !== 0) return [];
  return ADDRESSES.map((address, index) => ({
    address,
    topics: [TOPIC],
    data: '0x',
    blockNumber: hex(number),
    blockHash: chain.hashOf(number),
    transactionHash: chain.transactionHash(number, 0),
    transactionIndex: '0x0',
    logIndex: hex(index),
    removed: false,
  }));
}

type NodeFilter = {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[];
};

const readFilter = ({ params }: NodeCall): NodeFilter => (JSON.parse(params) as [NodeFilter])[0];

function findLogs({ fromBlock, toBlock, blockHash, address }: NodeFilter): WireLog[] {
  const [first, last] = [Number(fromBlock), Number(toBlock)];
  const numbers = Array.from({ length: HEAD + 1 }, (_, number) => number).filter((number) =>
    blockHash === undefined ? number >= first && number <= last : chain.hashOf(number) === blockHash,
  );
  return numbers
    .flatMap(logsOf)
    .filter((log) => address === undefined || [address].flat().includes(log['address'] as string));
}

const spanOf = (filter: NodeFilter): number => Number(filter.toBlock) - Number(filter.fromBlock) + 1;

/** Answers logs, unless `refuse` returns another behaviour. */
const logNode =
  (
    refuse: (filter: NodeFilter, logs: readonly WireLog[]) => Behaviour | undefined = () => undefined,
  ): Behaviour =>
  (call, options) => {
    if (call.method !== 'eth_getLogs') return chain.behaviour()(call, options);
    const filter = readFilter(call);
    const logs = findLogs(filter);
    return (refuse(filter, logs) ?? answer(JSON.stringify(logs)))(call, options);
  };

const takes = (blocks: number, words: string, code = -32602): Behaviour =>
  logNode((filter) => (spanOf(filter) > blocks ? nodeError(code, words) : undefined));

const networkOf = (
  behaviours: readonly Behaviour[],
  limits: LogLimits = DEFAULT_LOG_LIMITS,
): ScriptedNetwork =>
  createNetwork(
    chain,
    { limits },
    behaviours.map((behaviour, tier) => createNode({ behaviour, tier })),
  );

async function getLogs(
  network: ScriptedNetwork,
  from: number,
  to: number,
  filter: Partial<LogFilter> = {},
): Promise<WireLog[]> {
  const blocks = { kind: 'range', from: numbered(from), to: numbered(to) } as const;
  const result = await network.chain.logs.getLogs(
    { blocks, addresses: [], topics: [], ...filter },
    createScope(),
  );
  return JSON.parse(result as string) as WireLog[];
}

const rangesAsked = ({ requested }: ScriptedNode): [number, number][] =>
  requested.calls
    .filter(({ method }) => method === 'eth_getLogs')
    .map((call) => readFilter(call))
    .map(({ fromBlock, toBlock }) => [Number(fromBlock), Number(toBlock)]);

const expected = (from: number, to: number): WireLog[] =>
  findLogs({ fromBlock: hex(from), toBlock: hex(to) });

describe('logs of a range', () => {
  it('begin in several scheduler slots if requested together', async () => {
    const network = networkOf([logNode()]);
    const watch = watchTurns();
    const { requestAll } = LogPieces.prototype;
    const mocked = mock.method(
      LogPieces.prototype,
      'requestAll',
      function (this: LogPieces, ...args: Parameters<typeof requestAll>) {
        watch.note();
        spin(SLOT_MS + 0.1);
        return requestAll.apply(this, args);
      },
    );
    const requested = Array.from({ length: 12 }, () => getLogs(network, 1, 30));
    for (const logs of await Promise.all(requested)) assert.equal(logs.length, 20);
    mocked.mock.restore();
    assert.ok(watch.end() <= 2, `${watch.end()} in a turn`);
  });

  it('are requested at once if nodes accept that', async () => {
    const network = networkOf([logNode()]);
    assert.deepEqual(await getLogs(network, 0, HEAD), expected(0, HEAD));
    assert.deepEqual(rangesAsked(network.node), [[0, HEAD]]);
  });

  it('are requested with numbers in place of tags, and with the filter in the form of clients', async () => {
    const network = networkOf([logNode()]);
    const blocks = {
      kind: 'range',
      from: { kind: 'tag', tag: 'earliest' },
      to: { kind: 'tag', tag: 'latest' },
    } as const;
    const filter = { blocks, addresses: [ADDRESSES[1]], topics: [[], [TOPIC, ADDRESSES[0].padEnd(66, '0')]] };
    await assert.rejects(network.chain.logs.getLogs(filter, createScope()), { kind: 'unavailable' });
    const params = network.node.requested.calls.find(({ method }) => method === 'eth_getLogs')?.params ?? '';
    assert.deepEqual(JSON.parse(params), [
      { fromBlock: '0x0', toBlock: hex(HEAD), address: ADDRESSES[1], topics: [null, filter.topics[1]] },
    ]);
  });

  it('are of one chain even if the hash of the last block is forgotten meanwhile', async (t) => {
    let isKnown = true;
    const node = logNode(() => {
      isKnown = false;
      return undefined;
    });
    const network = networkOf([node]);
    const { directory } = network;
    t.mock.method(directory, 'hashOf', (number: bigint) =>
      isKnown ? chain.hashOf(Number(number)) : undefined,
    );
    assert.deepEqual(await getLogs(network, 0, 30), expected(0, 30));
    isKnown = true;
    const reorged = networkOf([
      logNode(() => {
        reorged.directory.forgetNumbers();
        isKnown = false;
        return undefined;
      }),
    ]);
    t.mock.method(reorged.directory, 'hashOf', (number: bigint) =>
      isKnown ? chain.hashOf(Number(number)) : undefined,
    );
    await assert.rejects(getLogs(reorged, 0, 30), { kind: 'unavailable' });
  });

  it('reserve no more memory than there is, and none afterwards', async () => {
    const network = networkOf([takes(50, 'query exceeds max block range 50')]);
    const scope = createScope();
    const budget = new SharedBudget(48 * 1024, 1);
    scope.answers = budget;
    const blocks = { kind: 'range', from: numbered(0), to: numbered(HEAD) } as const;
    const ask = (): Promise<unknown> =>
      Promise.resolve(network.chain.logs.getLogs({ blocks, addresses: [], topics: [] }, scope));
    await assert.rejects(ask(), { kind: 'busy' });
    assert.equal(budget.used, 0);
    scope.answers = new SharedBudget(1024 * 1024, 1);
    assert.deepEqual(JSON.parse((await ask()) as string), expected(0, HEAD));
  });

  it('end at the served head', async () => {
    const network = networkOf([logNode()]);
    await assert.rejects(getLogs(network, 5, HEAD + 1), {
      kind: 'invalid',
      message: 'block range extends beyond current head block',
    });
    await assert.rejects(getLogs(network, HEAD + 1, HEAD + 1), { kind: 'invalid' });
    await assert.rejects(getLogs(network, 6, 5), { kind: 'invalid', message: 'invalid block range params' });
    assert.deepEqual(rangesAsked(network.node), []);
  });

  it('with a tag that nodes do not know are an error', async () => {
    const blocks = { kind: 'range', from: { kind: 'tag', tag: 'finalized' }, to: numbered(5) } as const;
    await assert.rejects(
      networkOf([logNode()]).chain.logs.getLogs({ blocks, addresses: [], topics: [] }, createScope()),
      { kind: 'failed', message: 'finalized header not found' },
    );
  });
});

describe('a range that a node refuses', () => {
  const REFUSALS: readonly (readonly [string, number])[] = [
    ['exceed maximum block range 50', -32602],
    ['eth_getLogs is limited to a 50 range', -32614],
    ['query exceeds max block range 50', -32602],
    ['Requested range exceeds maximum RPC range limit', -32005],
    ['block range is too wide', -32600],
    ['Block range limit exceeded. See more details', -32000],
    ['requested too many blocks from 0 to 399, maximum is set to 50', -32000],
    ['ranges over 50 blocks are not supported on freetier', 35],
  ];
  for (const [words, code] of REFUSALS) {
    it(`is requested in parts, in order and complete: ${words}`, async () => {
      const network = networkOf([takes(50, words, code)]);
      assert.deepEqual(await getLogs(network, 0, HEAD), expected(0, HEAD));
      const requested = rangesAsked(network.node);
      assert.ok(requested.length < 40, `${requested.length} questions`);
      const before = requested.length;
      assert.deepEqual(await getLogs(network, 100, 299), expected(100, 299));
      const later = rangesAsked(network.node).slice(before);
      assert.ok(
        later.every(([from, to]) => to - from < 50),
        'what is learnt is not tried again',
      );
    });
  }

  it('is sent to a node that accepts it, directly from the second time on', async () => {
    const network = networkOf([takes(50, 'block range is too wide'), logNode()]);
    for (let i = 0; i < 2; i++) assert.deepEqual(await getLogs(network, 0, 199 + i), expected(0, 199 + i));
    const [narrow, wide] = network.nodes as [ScriptedNode, ScriptedNode];
    assert.deepEqual(rangesAsked(narrow), [[0, 199]]);
    assert.deepEqual(rangesAsked(wide), [
      [0, 199],
      [0, 200],
    ]);
  });

  it('is divided if it has too many results, without learning a range limit', async () => {
    const words =
      'query returned more than 20 results. Try with this block range [0x0, 0x1b]. (bound: logs.results)';
    const many = logNode((_filter, logs) => (logs.length > 20 ? nodeError(-32005, words) : undefined));
    const network = networkOf([many]);
    assert.deepEqual(await getLogs(network, 0, 99), expected(0, 99));
    const before = rangesAsked(network.node).length;
    const addresses = [ADDRESSES[0]];
    await getLogs(network, 100, 150, { addresses });
    assert.deepEqual(rangesAsked(network.node).slice(before), [[100, 150]]);
  });

  it('of a single block fails with the message of the node', async () => {
    const network = networkOf([logNode(() => nodeError(-32005, 'query returned more than 10000 results'))]);
    await assert.rejects(getLogs(network, 0, 99), {
      kind: 'exceeded',
      message: 'query returned more than 10000 results',
    });
    assert.ok(rangesAsked(network.node).length < 40);
  });

  it('has no answer if one part fails', async () => {
    const failing = logNode((filter) => {
      if (spanOf(filter) > 50) return nodeError(-32602, 'exceed maximum block range 50');
      return Number(filter.fromBlock) >= 100 ? fault('unreachable') : undefined;
    });
    await assert.rejects(getLogs(networkOf([failing]), 0, HEAD), { kind: 'unavailable' });
  });

  it('has at most four requests in flight', async () => {
    let [running, most] = [0, 0];
    const slow: Behaviour = async (call, options) => {
      running++;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return takes(10, 'exceed maximum block range 10')(call, options);
    };
    assert.deepEqual(await getLogs(networkOf([slow]), 0, HEAD), expected(0, HEAD));
    assert.equal(most, 4);
  });

  it('is refused as a whole if it is too large for one answer of the network', async () => {
    const limits = { results: 20, bytes: 2 ** 20 };
    const network = networkOf([takes(10, 'exceed maximum block range 10')], limits);
    await assert.rejects(getLogs(network, 0, HEAD), {
      kind: 'exceeded',
      message:
        /^query returned more than 20 results\. Try with this block range \[0x0, 0x[0-9a-f]+\]\. \(bound: logs\.results\)$/,
    });
    assert.deepEqual(await getLogs(network, 0, 29), expected(0, 29));
    await assert.rejects(getLogs(networkOf([logNode()], { results: 20, bytes: 1_024 }), 0, 29), {
      kind: 'exceeded',
    });
    await assert.rejects(getLogs(networkOf([logNode()], { ...limits, blockRange: 5 }), 0, 5), {
      kind: 'invalid',
      message: 'exceed maximum block range 5 (bound: logs.blockRange)',
    });
  });
});

describe('invalid logs', () => {
  const [first, second] = logsOf(3) as [WireLog, WireLog];
  const WRONG: readonly (readonly [string, readonly WireLog[]])[] = [
    ['of another block', [{ ...first, blockNumber: '0x7' }]],
    ['of another block of the same height', [{ ...first, blockHash: chain.hashOf(4) }]],
    ['out of order', [second, first]],
    ['sent twice', [first, first]],
    ['of another address', [{ ...first, address: `0x${'cc'.repeat(20)}` }, second]],
    ['with other topics', [{ ...first, topics: [`0x${'71'.repeat(32)}`] }]],
    ['with fewer topics', [{ ...first, topics: [] }]],
    ['that were removed', [{ ...first, removed: true }]],
    ['without a valid position', [{ address: ADDRESSES[0], topics: [TOPIC] }]],
  ];
  for (const [what, logs] of WRONG) {
    it(`are not passed on: ${what}`, async () => {
      const wrong = logNode(() => answer(JSON.stringify(logs)));
      const filter = { addresses: ADDRESSES, topics: [[TOPIC]] };
      for (const nodes of [[wrong, logNode()], [wrong]]) {
        const network = networkOf(nodes);
        // The directory caches blocks that were requested.
        await network.chain.blocks.getHeader(numbered(3), createScope());
        const logs = getLogs(network, 3, 4, filter);
        if (nodes.length > 1) assert.deepEqual(await logs, [first, second]);
        else await assert.rejects(logs, { kind: 'unavailable' });
      }
    });
  }

  it('are refused if they are no array of logs', async () => {
    for (const text of ['null', '"0x"', '{}', '[1]']) {
      await assert.rejects(getLogs(networkOf([logNode(() => answer(text))]), 3, 4));
    }
  });

  it('may be null if two nodes return null, or if the blooms exclude logs', async () => {
    const none = logNode(() => answer('null'));
    assert.deepEqual(await getLogs(networkOf([none, none]), 4, 5), []);
    assert.deepEqual(await getLogs(networkOf([none, logNode()]), 3, 4), logsOf(3));
    await assert.rejects(getLogs(networkOf([none]), 4, 5), {
      kind: 'unavailable',
      message: /null instead of logs/,
    });
    for (const [bit, outcome] of [
      ['0', []],
      ['f', undefined],
    ] as const) {
      const tells: Behaviour = async (call, options) => {
        const reply = await none(call, options);
        if (reply.kind !== 'result' || !call.method.startsWith('eth_getBlockBy')) return reply;
        const block = { ...JSON.parse(reply.result as string), logsBloom: `0x${bit.repeat(512)}` };
        return { kind: 'result', result: JSON.stringify(block) };
      };
      const network = networkOf([tells]);
      const ofBlock = (): Promise<unknown> =>
        network.chain.logs.getLogs(
          { blocks: { kind: 'block', hash: chain.hashOf(4) }, addresses: [], topics: [] },
          createScope(),
        );
      if (outcome === undefined) {
        await assert.rejects(getLogs(network, 4, 5), { kind: 'unavailable' });
        await assert.rejects(ofBlock(), { kind: 'unavailable' });
      } else {
        assert.deepEqual(await getLogs(network, 4, 5), outcome);
        assert.equal(await ofBlock(), '[]');
      }
    }
  });
});

describe('logs of a block by its hash', () => {
  const getBlockLogs = (network: ScriptedNetwork, hash: string): Promise<unknown> =>
    network.chain.logs.getLogs({ blocks: { kind: 'block', hash }, addresses: [], topics: [] }, createScope());

  it('are requested by hash, and cached', async () => {
    const network = networkOf([logNode()]);
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(JSON.parse((await getBlockLogs(network, chain.hashOf(6))) as string), logsOf(6));
    }
    const requested = network.node.requested.calls.filter(({ method }) => method === 'eth_getLogs');
    assert.deepEqual(
      requested.map(({ params }) => JSON.parse(params)),
      [[{ blockHash: chain.hashOf(6) }]],
    );
  });

  it('of an unknown block are an error', async () => {
    await assert.rejects(getBlockLogs(networkOf([logNode()]), `0x${'99'.repeat(32)}`), {
      kind: 'failed',
      message: 'unknown block',
    });
  });
});
