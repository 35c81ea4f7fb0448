/** Fees and prices reported by nodes: those that must be equal, and those that may differ. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FACTS } from '../../../support/development.ts';
import { FaultUpstream } from '../../../support/fault-upstream.ts';

import { startService } from '../../../support/service.ts';
import { DEVNET } from '../../../verified/sources.ts';
import { askResult, type Request, type Truth } from '../../../verified/truth.ts';

const OPERATORS = 3;
type Reply = {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly trust?: string;
};

describe('prices under agreement', () => {
  let truth: Truth;
  before(async () => {
    truth = await DEVNET.open();
  });
  after(() => truth.close());

  /** @param alter rewrites the result of each node */
  async function withNetwork(
    alter: (node: number, call: Request, result: unknown) => unknown,
    work: (
      ask: (method: string, params?: readonly unknown[]) => Promise<Reply>,
      requested: readonly Request[],
    ) => Promise<void>,
    options: object = { verify: 'require', agreement: { voices: 2 } },
  ): Promise<void> {
    const requested: Request[] = [];
    const nodes = await Promise.all(
      Array.from({ length: OPERATORS }, (_, node) =>
        FaultUpstream.start(async (call) => {
          requested.push(call);
          const answer = await truth.ask(call);
          return 'result' in answer ? { result: alter(node, call, answer.result) } : answer;
        }),
      ),
    );
    const upstreams = nodes.map(({ httpUrl }) => httpUrl);
    const pool = { chainId: Number(FACTS.devnet.chainId) };
    const service = await startService({
      networks: { net: { hosts: ['localhost'], upstreams, pool, ...options } },
    });
    try {
      const ask = async (method: string, params: readonly unknown[] = []): Promise<Reply> => {
        const response = await fetch(`http://${service.authority}/net/v3/demo?trust=1`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        });
        return (await response.json()) as Reply;
      };
      // Nothing is verified until the service knows what it can verify of the chain.
      while ((await ask('eth_getBlockByNumber', ['latest', true])).trust !== 'proven') await sleep(10);
      await work(ask, requested);
    } finally {
      await service.close();
      await Promise.all(nodes.map((node) => node.close()));
    }
  }

  const PRICES: ReadonlySet<string> = new Set(['eth_gasPrice', 'eth_maxPriorityFeePerGas']);
  const ownOpinion = (node: number, { method }: Request, result: unknown): unknown =>
    PRICES.has(method) ? `0x${(BigInt(String(result)) + BigInt(1 + node)).toString(16)}` : result;

  test('are the reported ones if operators agree', async () => {
    await withNetwork(
      (_, __, result) => result,
      async (ask) => {
        for (const method of PRICES) {
          const { result, trust } = await ask(method);
          assert.deepEqual([result, trust], [await askResult(truth, method), 'agreed']);
        }
      },
    );
  });

  test('are computed from verified blocks like in geth if operators differ, and blocks are requested once', async () => {
    await withNetwork(ownOpinion, async (ask, requested) => {
      const both = await Promise.all([...PRICES].map((method) => ask(method)));
      const expected = await Promise.all([...PRICES].map((method) => askResult(truth, method)));
      assert.deepEqual(
        both.map(({ result, error }) => result ?? error?.message),
        expected,
      );
      assert.deepEqual(
        both.map(({ trust }) => trust),
        ['proven', 'proven'],
      );
      const count = requested.length;
      const isOfBlock = ({ method }: Request): boolean =>
        method === 'eth_getBlockByHash' || PRICES.has(method);
      await ask('eth_gasPrice');
      assert.deepEqual(requested.slice(count).filter(isOfBlock), []);
    });
  });

  test('are refused with the cause and a remedy if operators differ and blocks are unavailable', async () => {
    const noBlocks = (node: number, call: Request, result: unknown): unknown =>
      call.method === 'eth_getBlockByHash' && call.params[1] === true ? null : ownOpinion(node, call, result);
    await withNetwork(noBlocks, async (ask) => {
      const { error } = await ask('eth_gasPrice');
      assert.match(
        error?.message ?? '',
        /1 of 3 configured operators give it, agreement demands 2, and no price can be computed from verified blocks: .*; with verify: auto, the price of one node is served/,
      );
    });
  });

  test('include an agreed base fee, though fee histories differ in other members', async () => {
    const withMore = (node: number, { method }: Request, result: unknown): unknown =>
      method === 'eth_feeHistory' ? { ...(result as object), [`more${node}`]: node } : result;
    await withNetwork(withMore, async (ask) => {
      for (const method of ['eth_baseFee', 'eth_blobBaseFee']) {
        const { result, error, trust } = await ask(method);
        assert.deepEqual([result, error, trust], [await askResult(truth, method), undefined, 'agreed']);
      }
    });
  });
});
