/** eth_getLogs with nodes that omit, add or change logs. */
import assert from 'node:assert/strict';
import { before, describe, it, test } from 'node:test';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { LogFilter } from '../../../src/chain/requests.ts';
import type { UpstreamChain } from '../../../src/chains/upstream/upstream-chain.ts';
import type { Trust } from '../../../src/util/request-scope.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { useDevnetNode } from '../../support/devnet-node.ts';
import type { Call, Fault } from '../../support/faults/fault.ts';
import { changeLeaf, type NetworkSettings, openNetwork } from './liars.ts';

type Log = Readonly<Record<string, unknown>>;
type Lie = (logs: readonly Log[]) => readonly Log[];

/** Number of blocks in the range, which ends at a height whose logs nodes have long indexed. */
const BLOCKS = 8;
const BELOW_HEAD = 10;
const MEMBERS = [
  'address',
  'data',
  'blockNumber',
  'transactionHash',
  'transactionIndex',
  'logIndex',
  'removed',
] as const;

const node = useDevnetNode();
const { ask } = node;
/** Logs of `first` to `last`, and of all other blocks. */
let logs: readonly Log[];
let others: readonly Log[];
let first: number;
let last: number;

before(async () => {
  const head = Number(await ask('eth_blockNumber'));
  const all = (await ask('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })) as readonly Log[];
  const countUpTo = (end: number): number =>
    all.filter(({ blockNumber }) => Number(blockNumber) > end - BLOCKS && Number(blockNumber) <= end).length;
  for (last = head - BELOW_HEAD; countUpTo(last) < 4; last--) assert.ok(last > BLOCKS, 'logs to lie about');
  first = last - BLOCKS + 1;
  const isInside = ({ blockNumber }: Log): boolean =>
    Number(blockNumber) >= first && Number(blockNumber) <= last;
  logs = all.filter(isInside);
  others = all.filter((log) => !isInside(log));
});

const change = (logs: readonly Log[], at: number, members: Log): readonly Log[] =>
  logs.map((log, i) => (i === at ? { ...log, ...members } : log));

/** Lies by their effect on the logs; each has to be detected. */
const LIES: Readonly<Record<string, Lie>> = {
  'the first log is missing': (logs) => logs.slice(1),
  'the last log is missing': (logs) => logs.slice(0, -1),
  'all logs are missing': () => [],
  'a log is there twice': (logs) => [...logs, ...logs.slice(-1)],
  'a log is added': (logs) => [
    ...logs,
    { ...logs.at(-1), logIndex: encodeQuantity(Number(logs.at(-1)?.['logIndex']) + 1) },
  ],
  'a log of another block': (logs) => [...others.slice(0, 1), ...logs],
  'a log of another block under the number of one that was asked for': (logs) => [
    ...logs,
    { ...others[0], blockNumber: logs.at(-1)?.['blockNumber'] },
  ],
  'two logs in the other order': (logs) => [...logs.slice(0, -2), ...logs.slice(-2).toReversed()],
  'a topic is changed': (logs) =>
    change(logs, 0, { topics: [changeLeaf((logs as readonly [Log])[0]['topics'])] }),
  'a hash begins with another prefix': (logs) =>
    change(logs, 0, { transactionHash: String(logs[0]?.['transactionHash']).replace('0x', '0X') }),
  'a log has no topics': (logs) => change(logs, 0, { topics: [] }),
  'a list with the position in place of it': (logs) =>
    change(logs, 1, { transactionIndex: [logs[1]?.['transactionIndex']] }),
  'a list with the data in place of them': (logs) => change(logs, 1, { data: [logs[1]?.['data']] }),
  'an object in place of a position': (logs) =>
    change(logs, 1, { transactionIndex: { valueOf: 1, toString: 1 } }),
  ...Object.fromEntries(
    MEMBERS.map((member): [string, Lie] => [
      `${member} is changed`,
      (logs) => change(logs, 1, { [member]: changeLeaf(logs[1]?.[member]) }),
    ]),
  ),
};
/** Lie that a node on another branch returns, too: the next node gets the request, and this one is not quarantined. */
const BRANCH = 'a log of another block under the number of one that was asked for';

const lieWith = (lie: Lie): Fault => ({
  concerns: ({ method }) => method === 'eth_getLogs',
  answer: async (call, askTruth) => {
    const answer = await askTruth(call);
    return 'result' in answer ? { result: lie(answer.result as readonly Log[]) } : answer;
  },
});

type Asked = { readonly value: readonly Log[]; readonly trust: Trust | undefined };

async function getLogs(chain: UpstreamChain, filter: Partial<LogFilter> = {}): Promise<Asked> {
  const scope = createScope();
  const blocks = {
    kind: 'range',
    from: { kind: 'number', number: BigInt(first) },
    to: { kind: 'number', number: BigInt(last) },
  } as const;
  const result = await chain.logs.getLogs({ blocks, addresses: [], topics: [], ...filter }, scope);
  return { value: JSON.parse(String(result)) as readonly Log[], trust: scope.trust };
}

/** Filter and logs of the first block of the range that has at least two. */
function byHash(): { readonly filter: Partial<LogFilter>; readonly logs: readonly Log[] } {
  const own = ({ blockHash }: Log): readonly Log[] => logs.filter((log) => log['blockHash'] === blockHash);
  const log = logs.find((each) => own(each).length > 1) ?? logs[0];
  return {
    filter: { blocks: { kind: 'block', hash: String(log?.['blockHash']) } },
    logs: own(log as Log),
  };
}

async function withNetwork(
  count: number,
  liars: number,
  fault: Fault,
  settings: NetworkSettings,
  work: (chain: UpstreamChain) => Promise<void>,
): Promise<void> {
  const network = await openNetwork(node.answer, count, liars, fault, settings);
  try {
    await work(network.chain);
  } finally {
    await network.close();
  }
}

const stateOf = (chain: UpstreamChain, position: number): string | undefined =>
  chain.describe().upstreams[position]?.state;

test('logs of a range, of a block and of a filter are verified if no node lies', async () => {
  await withNetwork(2, 0, {}, { verify: 'require' }, async (chain) => {
    assert.deepEqual(await getLogs(chain), { value: logs, trust: 'proven' });
    const block = byHash();
    assert.deepEqual(await getLogs(chain, block.filter), { value: block.logs, trust: 'proven' });
    for (const log of logs) {
      const address = String(log['address']);
      const [topic] = log['topics'] as readonly string[];
      const value = logs.filter(
        (each) =>
          each['address'] === address &&
          (topic === undefined || (each['topics'] as readonly string[])[0] === topic),
      );
      const filter = { addresses: [address], topics: topic === undefined ? [] : [[topic]] };
      assert.deepEqual(await getLogs(chain, filter), { value, trust: 'proven' });
    }
    const nothing = { addresses: [`0x${'12'.repeat(20)}`] };
    assert.deepEqual(await getLogs(chain, nothing), { value: [], trust: 'proven' });
  });
});

describe('a lie about logs is never served, and its node is quarantined if another node has the truth', () => {
  for (const [name, lie] of Object.entries(LIES)) {
    it(`from one of three nodes: ${name}`, async () => {
      await withNetwork(3, 1, lieWith(lie), {}, async (chain) => {
        assert.deepEqual(await getLogs(chain), { value: logs, trust: 'proven' });
        assert.equal(stateOf(chain, 0), name === BRANCH ? 'up' : 'excluded');
      });
    });
  }

  it('from two of three nodes', async () => {
    for (const name of ['the last log is missing', 'a log is added', 'data is changed']) {
      await withNetwork(3, 2, lieWith(LIES[name] as Lie), {}, async (chain) => {
        assert.deepEqual((await getLogs(chain)).value, logs, name);
        assert.deepEqual(
          [0, 1, 2].map((position) => stateOf(chain, position)),
          ['excluded', 'excluded', 'up'],
        );
      });
    }
  });

  it('from the only node: no answer, with verify: auto and verify: require', async () => {
    for (const [name, lie] of Object.entries(LIES)) {
      await withNetwork(1, 1, lieWith(lie), {}, async (chain) => {
        await assert.rejects(
          getLogs(chain),
          /the answer is refuted by its block|returned logs of a block other than/,
          name,
        );
      });
    }
    const block = byHash();
    const settings = { verify: 'require' } as const;
    await withNetwork(
      1,
      1,
      lieWith((told) => told.slice(1)),
      settings,
      async (chain) => {
        await assert.rejects(
          getLogs(chain, block.filter),
          /refuted by its block: logs that are in the receipts of their block are missing/,
        );
      },
    );
  });

  it('about a block by its hash', async () => {
    const block = byHash();
    for (const name of ['the last log is missing', 'a log is added', 'data is changed']) {
      await withNetwork(3, 1, lieWith(LIES[name] as Lie), {}, async (chain) => {
        assert.deepEqual((await getLogs(chain, block.filter)).value, block.logs, name);
        assert.equal(stateOf(chain, 0), 'excluded', name);
      });
    }
  });

  it('about blocks whose blooms exclude the logs', async () => {
    const address = `0x${'12'.repeat(20)}`;
    const invent: Lie = () => [{ ...logs[0], address }];
    await withNetwork(3, 1, lieWith(invent), {}, async (chain) => {
      assert.deepEqual(await getLogs(chain, { addresses: [address] }), { value: [], trust: 'proven' });
      assert.equal(stateOf(chain, 0), 'excluded');
    });
  });
});

test('a range of more than verifyLogBlocks blocks has trust single, and is refused with verify: require', async () => {
  await withNetwork(2, 0, {}, { verifyLogBlocks: BLOCKS - 1 }, async (chain) => {
    assert.deepEqual(await getLogs(chain), { value: logs, trust: 'single' });
  });
  await withNetwork(2, 0, {}, { verify: 'require', verifyLogBlocks: BLOCKS - 1 }, async (chain) => {
    const range = `\\[${encodeQuantity(first)}, ${encodeQuantity(last)}\\] has ${BLOCKS} blocks`;
    await assert.rejects(getLogs(chain), {
      kind: 'unavailable',
      message: new RegExp(`${range}, but verifyLogBlocks of this network is ${BLOCKS - 1}`),
    });
  });
});

test('logs of nodes without receipts have trust single, and are refused with verify: require', async () => {
  const withoutReceipts: Fault = {
    concerns: ({ method }: Call) => /Receipt/.test(method),
    answer: async () => ({ error: { code: -32601, message: 'the method does not exist' } }),
  };
  await withNetwork(2, 2, withoutReceipts, {}, async (chain) => {
    assert.deepEqual(await getLogs(chain), { value: logs, trust: 'single' });
  });
  await withNetwork(2, 2, withoutReceipts, { verify: 'require' }, async (chain) => {
    await assert.rejects(getLogs(chain), /not verified, but verify: require demands it/);
  });
});

test('cached logs of a block need no request, and headers and receipts are requested only once', async () => {
  const requested: string[] = [];
  const record: Fault = {
    concerns: ({ method, params }) => {
      if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') requested.push(method);
      return false;
    },
  };
  await withNetwork(1, 1, record, {}, async (chain) => {
    await getLogs(chain);
    assert.ok(requested.includes('eth_getBlockReceipts'));
    requested.length = 0;
    await getLogs(chain);
    assert.deepEqual(requested, ['eth_getLogs']);
    const { filter, logs: expected } = byHash();
    await getLogs(chain, filter);
    requested.length = 0;
    assert.deepEqual(await getLogs(chain, filter), { value: expected, trust: 'proven' });
    assert.deepEqual(requested, []);
  });
});

describe('all logs of a block, for subscriptions and filters', () => {
  type Receipt = Readonly<Record<string, unknown>> & { readonly logs: readonly Log[] };
  /** The bloom does not cover data, so the logs fit the header. */
  const changeData: Fault = {
    concerns: ({ method }: Call) => method === 'eth_getBlockReceipts',
    answer: async (call, ask) => {
      const answer = await ask(call);
      if (!('result' in answer) || !Array.isArray(answer.result)) return answer;
      const change = (log: Log): Log => ({ ...log, data: `${log['data']}00` });
      return {
        result: (answer.result as readonly Receipt[]).map((each) => ({
          ...each,
          logs: each.logs.map(change),
        })),
      };
    },
  };

  async function getBlockLogs(chain: UpstreamChain): Promise<readonly Log[]> {
    const hash = String((logs.at(-1) as Log)['blockHash']);
    const found = await chain.logs.getBlockLogs(hash, createScope());
    return (found ?? []).map(({ json }) => JSON.parse(json) as Log);
  }
  const trueLogs = (): readonly Log[] =>
    logs.filter(({ blockHash }) => blockHash === (logs.at(-1) as Log)['blockHash']);
  const dataOf = (list: readonly Log[]): readonly unknown[] => list.map(({ data }) => data);

  for (const liars of [1, 2]) {
    it(`are true if ${liars} of three nodes change data, which are quarantined`, async () => {
      await withNetwork(3, liars, changeData, {}, async (chain) => {
        assert.deepEqual(await getBlockLogs(chain), trueLogs());
        for (let i = 0; i < liars; i++) assert.equal(stateOf(chain, i), 'excluded');
      });
    });
  }

  it('are refused if the only node changes data', async () => {
    await withNetwork(1, 1, changeData, { verify: 'require' }, async (chain) => {
      await assert.rejects(getBlockLogs(chain), /refuted by its block/);
    });
  });

  it('are checked only against the bloom if verifyLogBlocks is 0, and refused with verify: require', async () => {
    await withNetwork(3, 1, changeData, { verifyLogBlocks: 0 }, async (chain) => {
      const found = dataOf(await getBlockLogs(chain));
      assert.deepEqual(
        found,
        dataOf(trueLogs()).map((data) => `${data}00`),
      );
    });
    await withNetwork(3, 0, {}, { verify: 'require', verifyLogBlocks: 0 }, async (chain) => {
      await assert.rejects(getBlockLogs(chain), /verifyLogBlocks of this network is 0/);
    });
  });
});
