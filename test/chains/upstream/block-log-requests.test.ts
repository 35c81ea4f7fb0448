/** All logs of one block on a network of nodes: which requests are sent, which answers are accepted, and which are never accepted as complete. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addToBloom, BLOOM_LENGTH } from '../../../packages/ethereum/primitives/bloom.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import type { BlockLog } from '../../../src/chain/chain.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import { createScope } from '../../pool/support/exchange.ts';
import { createNetwork, type ScriptedNetwork } from '../../pool/support/network.ts';
import { ScriptedChain } from '../../pool/support/scripted-chain.ts';
import {
  answer,
  type Behaviour,
  createNode,
  fault,
  nodeError,
  silent,
} from '../../pool/support/scripted-node.ts';
import { createStream } from '../../pool/support/scripted-stream.ts';
import { complete } from '../../support/fake-clock.ts';

const TRANSACTIONS = 3;
const HEAD = 20;
const chain = new ScriptedChain({ length: HEAD + 1, transactions: () => TRANSACTIONS });
/** A branch that forks at block 18. */
const other = new ScriptedChain({
  length: HEAD + 2,
  transactions: () => TRANSACTIONS,
  salt: 7,
  forkedFrom: 18,
});
const ADDRESS = `0x${'aa'.repeat(20)}`;
const hex = (value: number): string => `0x${value.toString(16)}`;
const NO_BLOOM = `0x${'00'.repeat(BLOOM_LENGTH)}`;

type WireLog = Readonly<Record<string, unknown>> & {
  readonly address: string;
  readonly topics: readonly string[];
};
type Lie = (logs: readonly WireLog[]) => readonly WireLog[];

/** One log per transaction, each with its own topic. */
function logsOf(of: ScriptedChain, number: number): WireLog[] {
  return Array.from({ length: TRANSACTIONS }, (_, index) => ({
    address: ADDRESS,
    topics: [`0x${(number * 16 + index + 1).toString(16).padStart(64, '0')}`],
    data: '0xda',
    blockNumber: hex(number),
    blockHash: of.hashOf(number),
    transactionHash: of.transactionHash(number, index),
    transactionIndex: hex(index),
    logIndex: hex(index),
    removed: false,
  }));
}

function bloomOf(logs: readonly WireLog[]): string {
  const bloom = new Uint8Array(BLOOM_LENGTH);
  for (const { address, topics } of logs) {
    for (const value of [address, ...topics]) addToBloom(bloom, hexToBytes(value));
  }
  return bytesToHex(bloom);
}

type NodeParts = {
  readonly of?: ScriptedChain;
  readonly lie?: Lie;
  readonly bloom?: (logs: readonly WireLog[]) => string | undefined;
  /** Overrides of an honest node's answers. */
  readonly methods?: Readonly<Record<string, Behaviour>>;
};

/** A node with a chain, whose logs `lie` may change. */
function logNode({
  of = chain,
  lie = (logs) => logs,
  bloom = bloomOf,
  methods = {},
}: NodeParts = {}): Behaviour {
  return (call, options) => {
    const own = methods[call.method];
    if (own !== undefined) return own(call, options);
    const [first] = JSON.parse(call.params) as [unknown];
    const found = of.answer('eth_getBlockByHash', [Object(first)['blockHash'] ?? first]);
    const result = (value: unknown) => ({ kind: 'result', result: JSON.stringify(value) }) as const;
    if (found === null || found === undefined) return of.behaviour()(call, options);
    const block = found as { readonly number: string };
    const logs = logsOf(of, Number(block.number));
    switch (call.method) {
      case 'eth_getBlockByHash':
      case 'eth_getBlockByNumber':
        return result({ ...block, logsBloom: bloom(logs) });
      case 'eth_getBlockReceipts':
        return result(
          logs.map((log, index) => ({
            ...of.receiptObject(Number(block.number), index),
            logs: lie(logs).filter(({ transactionIndex }) => transactionIndex === log['transactionIndex']),
          })),
        );
      case 'eth_getLogs':
        return result(lie(logs));
      default:
        return of.behaviour()(call, options);
    }
  };
}

const networkOf = (...behaviours: readonly Behaviour[]): ScriptedNetwork =>
  createNetwork(
    chain,
    {},
    behaviours.map((behaviour, tier) => createNode({ behaviour, tier, name: `node ${tier}` })),
  );

const read = (network: ScriptedNetwork, hash: string): Promise<readonly BlockLog[] | null> =>
  Promise.resolve(network.chain.logs.getBlockLogs(hash, createScope()));

function assertLogs(logs: readonly BlockLog[] | null, expected: readonly WireLog[]): void {
  assert.ok(logs !== null);
  const timestamp = hex(1_700_000_000 + Number(expected[0]?.['blockNumber'] ?? 0));
  assert.deepEqual(
    logs.map(({ json }) => JSON.parse(json)),
    expected.map((log) => ({ ...log, blockTimestamp: timestamp })),
  );
  for (const [i, { address, topics, json }] of logs.entries()) {
    assert.deepEqual([address, topics], [expected[i]?.address, expected[i]?.topics]);
    assert.ok(json.endsWith(',"removed":false}'));
  }
}

const isUnbelieved = (error: unknown): boolean =>
  error instanceof ChainError && error.kind === 'unavailable' && /bloom/.test(error.message);

const methodsAsked = (network: ScriptedNetwork, node: number): string[] =>
  network.nodes[node]?.requested.calls.map(({ method }) => method) ?? [];

const dropLast: Lie = (logs) => logs.slice(0, -1);
const dropFirst: Lie = (logs) => logs.slice(1);
const none: Lie = () => [];

describe('all logs of a block', () => {
  it('are read from its receipts, by its hash', async () => {
    const network = networkOf(logNode());
    assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
    const last = network.node.requested.calls.at(-1);
    assert.deepEqual([last?.method, last?.params], ['eth_getBlockReceipts', `["${chain.hashOf(5)}"]`]);
    const requested = network.requested().length;
    assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
    assert.equal(network.requested().length, requested, 'what was found right is kept');
  });

  it('are read from eth_getLogs of a node without eth_getBlockReceipts', async () => {
    const refuse = nodeError(-32601, 'the method eth_getBlockReceipts does not exist');
    const network = networkOf(logNode({ methods: { eth_getBlockReceipts: refuse } }));
    assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
    assertLogs(await read(network, chain.hashOf(6)), logsOf(chain, 6));
    const receipts = methodsAsked(network, 0).filter((method) => method === 'eth_getBlockReceipts');
    assert.equal(receipts.length, 1, 'it is not asked for receipts again');
  });

  it('are read from eth_getLogs if receipts of no node match the block', async () => {
    // Older Bor returns no receipt for the state-sync transaction that the block lists.
    const cut: Behaviour = ({ params }) => {
      const [hash] = JSON.parse(params) as [string];
      const number = Number.parseInt(hash.slice(42, 58), 16);
      return { kind: 'result', result: JSON.stringify([chain.receiptObject(number, 0)]) };
    };
    const network = networkOf(...[0, 1].map(() => logNode({ methods: { eth_getBlockReceipts: cut } })));
    assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
    const countReceipts = (): number =>
      network.requested().filter((call) => call.startsWith('eth_getBlockReceipts')).length;
    assert.equal(countReceipts(), 2);
    assertLogs(await read(network, chain.hashOf(6)), logsOf(chain, 6));
    assert.equal(countReceipts(), 2, 'they are not asked for again');
  });

  it('are empty without a request for a block without transactions and with an empty bloom', async () => {
    const empty = new ScriptedChain({ length: HEAD + 1 });
    const network = createNetwork(empty, {}, [createNode(logNode({ of: empty, bloom: () => NO_BLOOM }))]);
    assert.deepEqual(await read(network, empty.hashOf(5)), []);
    assert.deepEqual(methodsAsked(network, 0), ['eth_getBlockByHash']);
  });

  it('are null for a block that no node has', async () => {
    const network = networkOf(logNode(), logNode());
    assert.equal(await read(network, `0x${'12'.repeat(32)}`), null);
  });

  for (const [name, lie] of Object.entries({ dropFirst, dropLast, none })) {
    for (const methods of [{}, { eth_getBlockReceipts: nodeError(-32601, 'the method does not exist') }]) {
      const from = 'eth_getBlockReceipts' in methods ? 'eth_getLogs' : 'receipts';
      it(`from a node that omits some (${name}, ${from}) are replaced by those of another node`, async () => {
        const network = networkOf(logNode({ lie, methods }), logNode({ methods }));
        assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
        assert.equal(network.node.upstream.faults.get('wrong'), 1);
        assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
        assert.deepEqual(network.bloomless, []);
      });
    }
  }

  const place = (parts: Readonly<Record<string, string>>): Lie => {
    return (logs) => logs.map((log) => ({ ...log, ...parts }));
  };
  const wrongs: Readonly<Record<string, Lie>> = {
    'of another block': place({ blockHash: chain.hashOf(6) }),
    'of another height': place({ blockNumber: '0x6' }),
    'of other transactions': place({ transactionHash: chain.transactionHash(6, 0) }),
    'out of order': (logs) => logs.toReversed(),
    'with one twice': (logs) => [logs[0] as WireLog, ...logs],
    'without addresses': place({ address: '0x' }),
    'without data': (logs) => logs.map(({ data: _, ...log }) => log as WireLog),
    'with an invented one': (logs) => [
      ...logs,
      { ...(logs[0] as WireLog), topics: [`0x${'ee'.repeat(32)}`], logIndex: hex(logs.length) },
    ],
  };
  for (const [what, lie] of Object.entries(wrongs)) {
    it(`${what} are refused, and replaced by those of another node`, async () => {
      const methods = { eth_getBlockReceipts: nodeError(-32601, 'the method does not exist') };
      const network = networkOf(logNode({ lie, methods }), logNode({ methods }));
      assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
      assert.equal(network.node.upstream.faults.get('wrong'), 1);
      assert.deepEqual(network.bloomless, []);
    });
  }

  it('are taken from another node after a failure, also for large blocks', async () => {
    const large = new ScriptedChain({ length: HEAD + 1, transactions: () => TRANSACTIONS });
    const pad: Lie = (logs) => logs.map((log) => ({ ...log, data: `0x${'ab'.repeat(1_000_000)}` }));
    const network = createNetwork(large, {}, [
      createNode({
        behaviour: logNode({ methods: { eth_getBlockReceipts: fault('unreachable') } }),
        tier: 1,
      }),
      createNode({ behaviour: logNode({ of: large, lie: pad }), tier: 2 }),
    ]);
    const logs = await read(network, large.hashOf(5));
    assert.equal(logs?.length, TRANSACTIONS);
    for (const { json } of logs) assert.ok(json.length > 2_000_000);
  });

  it('are read from receipts that arrive in chunks', async () => {
    const inPieces = (behaviour: Behaviour): Behaviour => {
      return async (call, options) => {
        const reply = await behaviour(call, options);
        if (call.method !== 'eth_getBlockReceipts' || reply.kind === 'error') return reply;
        return { kind: 'result', result: createStream(reply.result as string, { pieceBytes: 100 }) };
      };
    };
    const network = networkOf(inPieces(logNode({ lie: dropLast })), inPieces(logNode()));
    assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
    const foreign = logNode({ of: new ScriptedChain({ length: HEAD + 1 }) });
    const cut: Behaviour = () => ({ kind: 'result', result: '[]' });
    network.nodes[0]?.behave(inPieces(logNode({ methods: { eth_getBlockReceipts: cut } })));
    assertLogs(await read(network, chain.hashOf(6)), logsOf(chain, 6));
    network.nodes[0]?.behave(foreign);
    assertLogs(await read(network, chain.hashOf(7)), logsOf(chain, 7));
  });

  it('are taken from another node if receipts break off, whatever their white space', async () => {
    const broken: Behaviour = (call, options) => {
      if (call.method !== 'eth_getBlockReceipts') return logNode()(call, options);
      const text = JSON.stringify(JSON.parse(chain.receipts(5)), undefined, 1);
      return { kind: 'result', result: createStream(text, { pieceBytes: 100, breakAt: 500 }) };
    };
    const network = networkOf(broken, logNode());
    assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
  });

  it('are requested once for concurrent callers', async () => {
    const network = networkOf(logNode(), logNode());
    const all = await Promise.all([1, 2, 3].map(() => read(network, chain.hashOf(5))));
    for (const logs of all) assertLogs(logs, logsOf(chain, 5));
    assert.equal(network.requested().filter((call) => call.startsWith('eth_getBlockReceipts')).length, 1);
  });

  it('are not requested any more when no caller waits', async () => {
    const network = networkOf(logNode({ methods: { eth_getBlockReceipts: silent } }));
    const scope = createScope();
    const logs = Promise.resolve(network.chain.logs.getBlockLogs(chain.hashOf(5), scope));
    await complete();
    scope.abort();
    await assert.rejects(logs, (error: unknown) => error instanceof ChainError && error.kind === 'aborted');
    assert.equal(network.node.givenUp(), 1);
  });

  it('are an error for an old block that nodes do not have any more', async () => {
    // The block is below the tracked blocks.
    const long = new ScriptedChain({ length: 400, transactions: () => TRANSACTIONS });
    const methods = { eth_getBlockReceipts: answer('null') };
    const nodes = [1, 2].map((tier) => createNode({ behaviour: logNode({ of: long, methods }), tier }));
    const network = createNetwork(long, {}, nodes);
    await assert.rejects(
      read(network, long.hashOf(5)),
      (error: unknown) => error instanceof ChainError && error.kind === 'failed',
    );
  });
});

describe('headers that do not commit to the logs', () => {
  const zero = { bloom: () => NO_BLOOM };

  it('are ignored if two nodes return the same logs, and reported once', async () => {
    const network = networkOf(logNode(zero), logNode(zero), logNode(zero));
    for (const number of [5, 6, 7])
      assertLogs(await read(network, chain.hashOf(number)), logsOf(chain, number));
    assert.deepEqual(network.bloomless, ['extra']);
    assert.ok(!methodsAsked(network, 2).includes('eth_getBlockReceipts'), 'two are enough');
    assert.equal(methodsAsked(network, 1).filter((method) => method === 'eth_getBlockReceipts').length, 1);
  });

  it('are ignored if there is one node', async () => {
    const network = networkOf(logNode(zero));
    for (const number of [5, 6]) assertLogs(await read(network, chain.hashOf(number)), logsOf(chain, number));
    assert.deepEqual(network.bloomless, ['extra']);
  });

  it('that commit to some of the logs still show that others are omitted', async () => {
    // Polygon: the bloom omits the logs of state sync.
    const bloom = (logs: readonly WireLog[]): string => bloomOf(logs.slice(0, 2));
    const network = networkOf(logNode({ bloom }), logNode({ bloom }));
    assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
    assert.deepEqual(network.bloomless, ['extra']);
    network.nodes[0]?.behave(logNode({ bloom, lie: (logs) => logs.slice(0, 1) }));
    assertLogs(await read(network, chain.hashOf(6)), logsOf(chain, 6));
    assert.equal(network.node.upstream.faults.get('wrong'), 1);
  });

  it('may lack the bloom', async () => {
    const network = networkOf(logNode({ bloom: () => undefined }));
    assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
    assert.deepEqual(network.bloomless, []);
  });

  for (const nodes of [1, 2]) {
    it(`that commit to more logs than ${nodes} nodes return are ignored after a while, not at once`, async () => {
      let now = 0;
      const scripted = Array.from({ length: nodes }, (_, tier) =>
        createNode({ behaviour: logNode({ lie: dropLast }), tier }),
      );
      const network = createNetwork(chain, { now: () => now }, scripted);
      await assert.rejects(read(network, chain.hashOf(5)), isUnbelieved);
      now += 9_000;
      await assert.rejects(read(network, chain.hashOf(5)), isUnbelieved);
      assert.deepEqual(network.bloomless, []);
      now += 1_000;
      assertLogs(await read(network, chain.hashOf(5)), dropLast(logsOf(chain, 5)));
      assert.deepEqual(network.bloomless, ['missing']);
      assertLogs(await read(network, chain.hashOf(6)), dropLast(logsOf(chain, 6)));
    });
  }

  it('are not ignored if nodes differ', async () => {
    const network = networkOf(logNode({ lie: dropLast }), logNode({ lie: dropFirst }));
    await assert.rejects(read(network, chain.hashOf(5)), isUnbelieved);
    assert.deepEqual(network.bloomless, []);
  });

  it('correct logs are returned if two lying nodes of three omit different logs', async () => {
    const subset = fc.uniqueArray(fc.nat(TRANSACTIONS - 1), { maxLength: TRANSACTIONS - 1 });
    await fc.assert(
      fc.asyncProperty(subset, subset, fc.nat(2), async (first, second, honest) => {
        fc.pre(first.toSorted().join() !== second.toSorted().join());
        const keep = (indices: readonly number[]): Lie => {
          return (logs) => logs.filter((_, index) => indices.includes(index));
        };
        const behaviours = [logNode({ lie: keep(first) }), logNode({ lie: keep(second) })];
        const network = networkOf(...behaviours.toSpliced(honest, 0, logNode()));
        assertLogs(await read(network, chain.hashOf(5)), logsOf(chain, 5));
      }),
    );
  });
});

describe('blocks that not every node has', () => {
  const missing = logNode({ of: new ScriptedChain({ length: 18 }) });

  it('have logs and header after a reorg from the node that stores them', async () => {
    const network = createNetwork(
      chain,
      {},
      [missing, missing, missing].map((behaviour, tier) => createNode({ behaviour, tier })),
    );
    network.switchTo(other);
    network.nodes.forEach((node, i) => {
      node.behave(i === 2 ? logNode() : logNode({ of: other }));
    });
    const hash = chain.hashOf(HEAD);
    const header = await network.chain.blocks.getHeaderObject(
      { kind: 'hash', hash, requireCanonical: false },
      createScope(),
    );
    assert.equal(JSON.parse(header ?? 'null')?.hash, hash);
    assertLogs(await read(network, hash), logsOf(chain, HEAD));
  });

  it('are null after a reorg if no node stores them', async () => {
    const network = networkOf(logNode(), logNode(), logNode());
    network.switchTo(other);
    for (const node of network.nodes) node.behave(logNode({ of: other }));
    assert.equal(await read(network, chain.hashOf(HEAD)), null);
    const requested = network.requested().filter((call) => call.startsWith('eth_getBlockByHash'));
    assert.equal(requested.length, 3, 'every node was asked');
  });

  it('are not null after a reorg while a node that may store them does not answer', async () => {
    for (const hasFollowed of [true, false]) {
      const nodes = [missing, missing, missing].map((behaviour, tier) => createNode({ behaviour, tier }));
      const network = createNetwork(hasFollowed ? chain : other, {}, nodes);
      if (hasFollowed) network.switchTo(other);
      const hash = chain.hashOf(HEAD);
      const keeps = network.nodes[2];
      for (const node of network.nodes) node.behave(logNode({ of: other }));
      keeps?.behave(fault('unreachable'));
      const find = (): Promise<string | null> =>
        Promise.resolve(network.chain.blocks.findHeaderObject(hash, createScope()));
      await assert.rejects(find(), { kind: 'unavailable' });
      await assert.rejects(read(network, hash), { kind: 'unavailable' });
      keeps?.behave(logNode());
      assert.equal(JSON.parse((await find()) ?? 'null')?.hash, hash);
      keeps?.behave(fault('unreachable'));
      await assert.rejects(read(network, hash), { kind: 'unavailable' });
      keeps?.behave(logNode());
      assertLogs(await read(network, hash), logsOf(chain, HEAD));
    }
  });

  it('are not null on the served chain because two nodes lag or lack them', async () => {
    const behind = (tier: number) =>
      createNode({ behaviour: missing, tier, tracker: { holds: () => false } });
    const forgetful = createNode({ behaviour: missing, tier: 3 });
    const has = createNode({ behaviour: logNode(), tier: 4 });
    const network = createNetwork(chain, {}, [behind(1), behind(2), forgetful, has]);
    const hash = chain.hashOf(HEAD);
    const header = await network.chain.blocks.getHeaderObject(
      { kind: 'hash', hash, requireCanonical: false },
      createScope(),
    );
    assert.equal(JSON.parse(header ?? 'null')?.hash, hash);
    assertLogs(await read(network, hash), logsOf(chain, HEAD));
    assert.deepEqual(methodsAsked(network, 0), []);
  });

  it('are requested from the only node that has announced them', async () => {
    const hash = other.hashOf(HEAD + 1);
    const announcer = createNode({
      behaviour: logNode({ of: other }),
      tier: 3,
      tracker: { numberOf: (of) => (of === hash ? BigInt(HEAD + 1) : undefined) },
    });
    const behind = (tier: number) =>
      createNode({ behaviour: logNode(), tier, tracker: { holds: (number) => number <= HEAD } });
    const network = createNetwork(chain, {}, [behind(1), behind(2), announcer]);
    const header = await network.chain.blocks.getHeaderObject(
      { kind: 'hash', hash, requireCanonical: false },
      createScope(),
    );
    assert.equal(JSON.parse(header ?? 'null')?.hash, hash);
    assertLogs(await read(network, hash), logsOf(other, HEAD + 1));
  });

  it('are an error, not null, on the served chain if nodes deny them', async () => {
    const network = networkOf(missing, missing);
    await assert.rejects(
      read(network, chain.hashOf(HEAD)),
      (error: unknown) => error instanceof ChainError && error.kind !== 'aborted',
    );
  });
});
