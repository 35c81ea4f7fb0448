/** Whole blocks and receipts that are forwarded while they arrive. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  isComplete,
  type JsonResult,
  type JsonStream,
} from '../../../packages/ethereum/primitives/json-result.ts';
import type { Members } from '../../../packages/proofs/findings.ts';
import { poolOptionsSchema } from '../../../src/pool/options.ts';
import { RequestScope } from '../../../src/util/request-scope.ts';
import { sendToNode } from '../../support/faults/ask-node.ts';
import type { Fault } from '../../support/faults/fault.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { changeAt, changeLeaf, type LiedNetwork, lieAt, type NetworkSettings, openNetwork } from './liars.ts';

const LIMIT_MS = 60_000;
/** Every whole block of the chain, and every list of receipts, is longer than eight times `streamBytes`. */
const POOL = { ...poolOptionsSchema.parse({ retries: 0, hedgePercent: 0 }), streamBytes: 64 };

/** Longer than the data in flight, so that a part is forwarded before the rest has arrived. */
const PADDING = 'x'.repeat(400_000);

/** Adds a member that no root covers to the answer. */
function pad(answer: unknown): unknown {
  if (!Array.isArray(answer)) return { ...(answer as Members), padding: PADDING };
  return answer.map((item: Members) => ({ ...item, padding: PADDING }));
}

type Kind = 'block' | 'receipts';
const METHODS = { block: 'eth_getBlockByNumber', receipts: 'eth_getBlockReceipts' } as const;

describe('answers that are forwarded while they arrive', () => {
  let service: RunningService;
  let nodeUrl: string;
  /** Number of a block with several transactions and logs. */
  let number: bigint;
  let truth: Record<Kind, unknown>;
  before(async () => {
    service = await startService({ networks: { devnet: { hosts: ['localhost'], builtin: 'devnet' } } });
    nodeUrl = `http://${service.authority}/devnet/v3/demo`;
    const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
      const answer = await sendToNode(nodeUrl, { method, params });
      assert.ok('result' in answer);
      return answer.result;
    };
    const head = Number(await ask('eth_blockNumber'));
    for (let at = head; at > 0; at--) {
      const receipts = (await ask('eth_getBlockReceipts', `0x${at.toString(16)}`)) as readonly Members[];
      if (receipts.length < 2 || receipts.every(({ logs }) => (logs as readonly unknown[]).length === 0))
        continue;
      number = BigInt(at);
      truth = { block: await ask('eth_getBlockByNumber', `0x${at.toString(16)}`, true), receipts };
      return;
    }
    assert.fail('the chain has no such block');
  });
  after(() => service.close());

  /** Reads the forwarded pieces, and how the stream ends. */
  async function read(
    network: LiedNetwork,
    kind: Kind,
  ): Promise<{
    readonly text: string;
    readonly error: unknown;
    readonly trust: string | undefined;
    /** Trust before anything was read. */
    readonly trustAtOnce: string | undefined;
  }> {
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    const { blocks } = network.chain;
    const reference = { kind: 'number', number } as const;
    let result: JsonResult | null;
    try {
      result = await (kind === 'block'
        ? blocks.getBlock(reference, true, scope)
        : blocks.getReceipts(reference, scope));
    } catch (error) {
      return { text: '', error, trust: scope.trust, trustAtOnce: undefined };
    }
    assert.ok(result !== null && !isComplete(result), 'a stream');
    const trustAtOnce = scope.trust;
    const pieces: Uint8Array[] = [];
    let error: unknown;
    try {
      for await (const piece of (result as JsonStream).pieces) pieces.push(piece);
    } catch (thrown) {
      error = thrown;
    }
    return { text: Buffer.concat(pieces).toString(), error, trust: scope.trust, trustAtOnce };
  }

  const open = (
    count: number,
    liars: number,
    fault: Fault,
    settings: NetworkSettings = {},
  ): Promise<LiedNetwork> => openNetwork(nodeUrl, count, liars, fault, { ...settings, pool: POOL });
  const statesOf = ({ chain }: LiedNetwork): readonly string[] =>
    chain.describe().upstreams.map(({ state }) => state);
  const changeOf = (kind: Kind, change: (answer: Members) => unknown): Fault => ({
    concerns: ({ method }) => method === METHODS[kind],
    answer: async (call, ask) => {
      const answer = await ask(call);
      const isWhole = kind === 'receipts' || call.params[1] === true;
      return 'result' in answer && answer.result !== null && isWhole
        ? { result: change(answer.result as Members) }
        : answer;
    },
  });

  for (const kind of ['block', 'receipts'] as const) {
    test(`${kind}: a true one is verified once it has been read`, async () => {
      for (const verify of ['auto', 'require'] as const) {
        const network = await open(2, 0, {}, { verify });
        try {
          const { text, error, trust, trustAtOnce } = await read(network, kind);
          assert.equal(error, undefined);
          assert.deepEqual(JSON.parse(text), truth[kind]);
          assert.equal(trustAtOnce, undefined);
          assert.equal(trust, 'proven');
        } finally {
          await network.close();
        }
      }
    });

    test(`${kind}: a changed one is cut off, its node is quarantined, and the next answer comes from another node`, async () => {
      const path = kind === 'block' ? ['transactions', 0, 'value'] : [1, 'logsBloom'];
      const network = await open(
        2,
        1,
        changeOf(kind, (answer) => pad(changeAt(answer, path, changeLeaf))),
      );
      await network.nodes[1]?.setFault(changeOf(kind, pad));
      try {
        const { text, error, trust } = await read(network, kind);
        assert.match(String(error), /refuted by its block/);
        assert.ok(text.length > 0);
        assert.throws(() => JSON.parse(text));
        assert.equal(trust, undefined);
        assert.deepEqual(statesOf(network), ['excluded', 'up']);
        const again = await read(network, kind);
        assert.equal(again.error, undefined);
        assert.deepEqual(JSON.parse(again.text), pad(truth[kind]));
        assert.equal(again.trust, 'single', 'one node is left');
      } finally {
        await network.close();
      }
    });

    test(`${kind}: a changed one of which nothing was forwarded yet is replaced by that of another node`, async () => {
      const path = kind === 'block' ? ['transactions', 0, 'value'] : [1, 'logsBloom'];
      const network = await open(
        3,
        1,
        changeOf(kind, (answer) => changeAt(answer, path, changeLeaf)),
      );
      try {
        const { text, error, trust } = await read(network, kind);
        assert.equal(error, undefined);
        assert.deepEqual(JSON.parse(text), truth[kind]);
        assert.equal(trust, 'proven');
        assert.deepEqual(statesOf(network), ['excluded', 'up', 'up']);
      } finally {
        await network.close();
      }
    });

    test(`${kind}: one of an unknown form, identical from all nodes, is forwarded as unverified`, async () => {
      const path = kind === 'block' ? ['transactionsRoot'] : [0, 'cumulativeGasUsed'];
      const change = changeOf(kind, (answer) => changeAt(answer, path, changeLeaf));
      for (const nodes of [1, 3]) {
        const network = await open(nodes, nodes, change);
        try {
          const { text, error, trust } = await read(network, kind);
          assert.equal(error, undefined);
          assert.deepEqual(JSON.parse(text), changeAt(truth[kind], path, changeLeaf));
          assert.notEqual(trust, 'proven');
          assert.deepEqual(
            statesOf(network),
            Array.from({ length: nodes }, () => 'up'),
          );
        } finally {
          await network.close();
        }
      }
    });

    test(`${kind}: one of an unknown form is cut off with verify: require`, async () => {
      const path = kind === 'block' ? ['transactionsRoot'] : [0, 'cumulativeGasUsed'];
      const change = changeOf(kind, (answer) => changeAt(answer, path, changeLeaf));
      const network = await open(2, 2, change, { verify: 'require' });
      try {
        const { text, error } = await read(network, kind);
        assert.match(String(error), /refuted by its block/);
        assert.throws(() => JSON.parse(text));
      } finally {
        await network.close();
      }
    });
  }

  const evasions: readonly (readonly [name: string, change: (block: Members) => unknown])[] = [
    [
      'transactions before the number of their block',
      ({ transactions, ...header }) => ({
        transactions: changeAt(transactions, [0, 'value'], changeLeaf),
        ...header,
      }),
    ],
    ['no transactions', (block) => ({ ...block, transactions: null })],
    ['a transaction that is none', (block) => changeAt(block, ['transactions', 0], () => ({}))],
    [
      'a transaction less',
      (block) => ({ ...block, transactions: (block['transactions'] as unknown[]).slice(1) }),
    ],
  ];
  for (const [name, change] of evasions)
    test(`a block from one node of two with ${name} is replaced by the true one`, async () => {
      const network = await open(2, 1, changeOf('block', change));
      try {
        const { text, error } = await read(network, 'block');
        assert.equal(error, undefined);
        assert.deepEqual(JSON.parse(text), truth.block);
      } finally {
        await network.close();
      }
    });

  test('a block with hashes and a transaction count are derived from the full block', async () => {
    const isBlock = ({ method }: { readonly method: string }): boolean => method === 'eth_getBlockByNumber';
    const network = await open(3, 1, lieAt(isBlock, ['transactions', 0]));
    try {
      const scope = new RequestScope(performance.now() + LIMIT_MS);
      const reference = { kind: 'number', number } as const;
      const { transactions } = truth.block as { readonly transactions: readonly Members[] };
      const block = await network.chain.blocks.getBlock(reference, false, scope);
      assert.ok(block !== null && isComplete(block));
      const listed = JSON.parse(typeof block === 'string' ? block : block.text) as Members;
      assert.deepEqual(
        listed['transactions'],
        transactions.map(({ hash }) => hash),
      );
      assert.equal(scope.trust, 'proven');
      const count = await network.chain.blocks.countTransactions(reference, scope);
      assert.equal(Number(JSON.parse(String(count))), transactions.length);
    } finally {
      await network.close();
    }
  });
});
