/** Heads, logs and pending transactions of three real nodes, followed over WebSockets and over HTTP. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { createErc20InitCode } from '../../scripts/contracts/erc20.ts';
import { DEFAULT_LOG_LIMITS } from '../../src/chain/log-range.ts';
import { openUpstreamChain } from '../../src/chains/upstream/open-upstream-chain.ts';
import { DEFAULT_SEND } from '../../src/chains/upstream/sending/options.ts';
import type { UpstreamChain } from '../../src/chains/upstream/upstream-chain.ts';
import { poolOptionsSchema, upstreamsSchema } from '../../src/pool/options.ts';
import { SENDING_TOOLS } from '../../src/service/sending-tools.ts';
import { createRecordingLog } from '../gateway/recording-log.ts';
import { createMemory } from '../pool/support/pool.ts';
import { ANVIL_SKIP, type Anvil, startAnvil } from '../support/anvil.ts';
import { encodeTransfer } from '../support/scene.ts';
import { limitTo } from '../support/test-chain.ts';
import { waitUntil } from '../support/wait-until.ts';

const GENESIS_TIME = 1_700_000_000;
const ARGS = ['--timestamp', `${GENESIS_TIME}`, '--hardfork', 'prague', '--no-mining'];
const NODES = 3;
const BLOCKS = 8;
const LOGS = 3;
const BLOCK_SECONDS = 2;
const LIMIT_MS = 60_000;
const KINDS = ['webSocketUrl', 'httpUrl'] as const;

/** Nodes that have the same blocks as long as each gets the same requests. */
class Cluster {
  readonly nodes: readonly Anvil[];
  accounts: readonly string[] = [];
  token = '';

  constructor(nodes: readonly Anvil[]) {
    this.nodes = nodes;
  }

  static async start(t: TestContext): Promise<Cluster> {
    const nodes = await Promise.all(Array.from({ length: NODES }, () => startAnvil({ args: ARGS })));
    const cluster = new Cluster(nodes);
    t.after(() => Promise.all(nodes.map((node) => node.kill())));
    cluster.accounts = (await cluster.#first.request('eth_accounts')) as string[];
    const token = createErc20InitCode({ name: 'Token', symbol: 'T', supply: 10n ** 24n });
    const deployment = { from: cluster.#sender, data: bytesToHex(token), gas: '0x2dc6c0' };
    for (const node of nodes) await node.request('eth_sendTransaction', deployment);
    await cluster.mine(1);
    const receipts = (await cluster.#first.request('eth_getBlockReceipts', '0x1')) as {
      contractAddress: string;
    }[];
    cluster.token = receipts[0]?.contractAddress ?? '';
    return cluster;
  }

  /** Sends a transfer of the token. @returns its hash */
  async transfer(node: Anvil, amount: number): Promise<string> {
    const to = this.accounts[1] as string;
    const data = encodeTransfer(to, BigInt(amount));
    const fees = { gas: '0x186a0', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' };
    return (await node.request('eth_sendTransaction', {
      from: this.#sender,
      to: this.token,
      data,
      ...fees,
    })) as string;
  }

  /** Mines one block of all pending transactions, on one node after the other. @returns when most of the nodes had it */
  async mine(number: number, branch = 0): Promise<number> {
    let minedAt = 0;
    for (const [i, node] of this.nodes.entries()) {
      await node.request('evm_setNextBlockTimestamp', GENESIS_TIME + number * BLOCK_SECONDS + branch);
      await node.request('evm_mine');
      if (i === Math.floor(NODES / 2)) minedAt = performance.now();
    }
    return minedAt;
  }

  async readHash(number: number): Promise<string> {
    const block = await this.#first.request('eth_getBlockByNumber', `0x${number.toString(16)}`, false);
    return (block as { hash: string }).hash;
  }

  get #first(): Anvil {
    return this.nodes[0] as Anvil;
  }

  get #sender(): string {
    return this.accounts[0] as string;
  }
}

async function open(t: TestContext, urls: readonly string[]): Promise<UpstreamChain> {
  const chain = await openUpstreamChain({
    network: 'test',
    upstreams: upstreamsSchema.parse(urls),
    pool: poolOptionsSchema.parse({}),
    logs: DEFAULT_LOG_LIMITS,
    verify: 'auto',
    cache: createMemory(),
    log: createRecordingLog(),
    sending: { options: DEFAULT_SEND, tools: SENDING_TOOLS },
  });
  t.after(() => chain.close());
  await chain.calibrated;
  return chain;
}

describe('a network of three real nodes', { skip: ANVIL_SKIP }, () => {
  for (const kind of KINDS) {
    test(`by ${kind}: every head is reported once, with its block and logs, and so is a reorg`, async (t) => {
      const cluster = await Cluster.start(t);
      const chain = await open(
        t,
        cluster.nodes.map((node) => node[kind]),
      );
      await waitUntil(() => chain.heads.served?.number === 1n);
      const seen: { readonly number: bigint; readonly hash: string; readonly at: number }[] = [];
      const unwatch = chain.heads.watch(() => {
        const { served } = chain.heads;
        if (served !== undefined) seen.push({ ...served, at: performance.now() });
      });
      t.after(unwatch);
      const delays: number[] = [];
      const hashes: string[] = [];
      for (let number = 2; number < 2 + BLOCKS; number++) {
        for (const node of cluster.nodes) {
          for (let i = 0; i < LOGS; i++) await cluster.transfer(node, number * 100 + i);
        }
        const minedAt = await cluster.mine(number);
        const hash = await cluster.readHash(number);
        hashes.push(hash);
        await waitUntil(() => seen.at(-1)?.hash === hash);
        delays.push((seen.at(-1)?.at ?? 0) - minedAt);
        const header = await chain.blocks.getHeaderObject(
          { kind: 'hash', hash, requireCanonical: false },
          limitTo(LIMIT_MS),
        );
        assert.equal(JSON.parse(header ?? 'null')?.number, `0x${number.toString(16)}`);
        const logs = await chain.logs.getBlockLogs(hash, limitTo(LIMIT_MS));
        assert.equal(logs?.length, LOGS);
        const expected = (await cluster.nodes[1]?.request('eth_getLogs', { blockHash: hash })) as object[];
        assert.deepEqual(
          logs?.map(({ json }) => JSON.parse(json)),
          expected,
        );
      }
      assert.equal(new Set(seen.map(({ hash }) => hash)).size, seen.length, 'each head once');
      t.diagnostic(`ms from most nodes' head to the watch: ${delays.map((ms) => ms.toFixed(0)).join(', ')}`);

      const last = 1 + BLOCKS;
      for (const node of cluster.nodes) await node.request('anvil_rollback', 2);
      for (const number of [last - 1, last, last + 1]) {
        for (const node of cluster.nodes) await cluster.transfer(node, 5_000 + number);
        await cluster.mine(number, 1);
      }
      const newHead = await cluster.readHash(last + 1);
      await waitUntil(() => chain.heads.served?.hash === newHead);
      assert.equal((await chain.logs.getBlockLogs(newHead, limitTo(LIMIT_MS)))?.length, 1);
      // anvil drops blocks that leave its chain, so a block that is not cached here is unavailable.
      const gone = `0x${'12'.repeat(32)}`;
      assert.equal(await chain.logs.getBlockLogs(gone, limitTo(LIMIT_MS)), null);
    });

    test(`by ${kind}: pending transactions are reported once while they are watched`, async (t) => {
      const cluster = await Cluster.start(t);
      const chain = await open(
        t,
        cluster.nodes.map((node) => node[kind]),
      );
      await waitUntil(() => chain.heads.served?.number === 1n);
      const seen: string[] = [];
      const unwatch = chain.heads.watchPending((hashes) => seen.push(...hashes));
      assert.ok(unwatch !== undefined);
      // Subscriptions and filters report only later transactions: transfers continue until one is reported.
      const sent = new Set<string>();
      await waitUntil(async () => {
        for (const node of cluster.nodes) sent.add(await cluster.transfer(node, sent.size));
        return seen.length > 0;
      });
      const later: string[] = [];
      for (const node of cluster.nodes) later.push(await cluster.transfer(node, 9_999));
      await waitUntil(() => later.every((hash) => seen.includes(hash)));
      assert.equal(new Set(seen).size, seen.length, 'each once');
      assert.ok(seen.every((hash) => sent.has(hash) || later.includes(hash)));
      unwatch();
    });
  }
});
