/** Receipts through several processes whose heads arrive at different times, and the responses of the others after them. */
import { request as sendRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { Random } from '../../geth/requests/random.ts';
import { createKey } from '../../support/keys.ts';
import { Program } from '../../support/program.ts';
import type { RedisServer } from '../../support/redis.ts';
import { ALICE } from '../../support/test-chain.ts';
import { type ForkBlock, ForkChain } from '../chain/fork-chain.ts';
import { ScriptedProcess } from '../nodes/scripted-process.ts';
import { networkOf } from '../service.ts';

const BLOCK_MS = 200;
/** Longest delay of a block at a node after the first node has it, ms. */
const MAX_LATE_MS = 300;
const NODES = 3;
/** Most requests for one receipt; pauses between them in ms. */
const MAX_ASKS = 400;
const ASK_PAUSE_MS = 5;

export type LaterReads = {
  readonly receipts: number;
  /** Reads of the head after a receipt or a response at the head. */
  readonly reads: number;
  /** Reads that returned an older head. */
  readonly older: readonly string[];
  /** Reads that were refused, because the head did not arrive in time. */
  readonly refused: readonly string[];
  readonly blocks: number;
  readonly seconds: number;
};

export type LaterReadsOptions = {
  readonly receipts: number;
  /** Workers of each program. */
  readonly workers: number;
  /** Programs that share a server; one program without a server when absent. */
  readonly replicas?: { readonly count: number; readonly server: RedisServer };
  /** Keys that send requests at the same time. */
  readonly clients?: number;
};

export async function runLaterReads(options: LaterReadsOptions): Promise<LaterReads> {
  const { receipts, workers, replicas, clients = 4 } = options;
  const startedAt = performance.now();
  const random = new Random(Date.now() % 1_000_000, 1);
  const chain = new ForkChain(random, 1);
  const nodes = await Promise.all(
    Array.from({ length: NODES }, () => ScriptedProcess.start(chain.genesis, 'http')),
  );
  const growth = { isOn: true, head: chain.extend(chain.genesis, 3) };
  for (const node of nodes) await node.deliver(growth.head);
  const programs: Program[] = [];
  const tally = { receipts: 0, reads: 0, older: [] as string[], refused: [] as string[] };
  let growing: Promise<void> = Promise.resolve();
  try {
    const urls = nodes.map(({ url }) => url);
    for (let at = 0; at < (replicas?.count ?? 1); at++)
      programs.push(new Program(networkFor(urls, chain, workers, replicas?.server, at)));
    const { key } = await createKey(programs[0] as Program);
    await Promise.all(programs.map((program) => program.start()));
    growing = grow(chain, nodes, growth, random);
    const ports = programs.map(({ port }) => port);
    const work = Array.from({ length: clients }, () =>
      readAfterReceipts(() => growth.head, { ports, path: `/v3/${key}`, tally, receipts }),
    );
    await Promise.all(work);
  } finally {
    growth.isOn = false;
    await growing;
    for (const program of programs) await program.dispose();
    for (const node of nodes) await node.dispose();
  }
  return { ...tally, blocks: growth.head.number, seconds: (performance.now() - startedAt) / 1_000 };
}

function networkFor(
  urls: readonly string[],
  chain: ForkChain,
  workers: number,
  server: RedisServer | undefined,
  order: number,
): Record<string, unknown> {
  // A replica has its own node: its head arrives when that node has it.
  const own = server === undefined ? urls : [urls[order % urls.length] as string];
  return {
    ...networkOf(own, chain.genesis.hash, 0),
    workers,
    ...(server !== undefined && { access: { valkey: { url: `redis://127.0.0.1:${server.port}` } } }),
  };
}

/** Makes blocks; one node has each at once, the others later. */
async function grow(
  chain: ForkChain,
  nodes: readonly ScriptedProcess[],
  growth: { isOn: boolean; head: ForkBlock },
  random: Random,
): Promise<void> {
  const delivered = nodes.map(() => Promise.resolve());
  while (growth.isOn) {
    const block = chain.extend(growth.head, 1);
    const quick = random.below(nodes.length);
    for (const [at, node] of nodes.entries()) {
      const lateMs = at === quick ? 0 : random.below(MAX_LATE_MS);
      const before = delivered[at];
      delivered[at] = sleep(lateMs)
        .then(() => before)
        .then(() => node.deliver(block));
    }
    growth.head = block;
    await sleep(BLOCK_MS);
  }
  await Promise.all(delivered);
}

type Reading = {
  readonly ports: readonly number[];
  readonly path: string;
  readonly receipts: number;
  readonly tally: { receipts: number; reads: number; older: string[]; refused: string[] };
};

/** Waits for receipts of the newest block at any process, then reads the head several times at all of them. */
async function readAfterReceipts(newest: () => ForkBlock, reading: Reading): Promise<void> {
  const { ports, path, tally, receipts } = reading;
  let turn = 0;
  const ask = (method: string, params: readonly unknown[]): Promise<Answer> =>
    post(ports[turn++ % ports.length] as number, path, method, params);
  let seen = 0;
  let seenNonce = 0;
  while (tally.receipts < receipts) {
    const block = newest();
    const hash = block.transactionHashes.at(-1) as string;
    let shown: number | undefined;
    for (let asks = 0; asks < MAX_ASKS && shown === undefined; asks++) {
      const { result } = await ask('eth_getTransactionReceipt', [hash]);
      if (result != null) shown = Number((result as { blockNumber: string }).blockNumber);
      else await sleep(ASK_PAUSE_MS);
    }
    if (shown === undefined) throw new Error(`no receipt of block ${block.number}`);
    tally.receipts++;
    seen = Math.max(seen, shown);
    seenNonce = Math.max(seenNonce, Number(block.nonce));
    for (let read = 0; read < ports.length; read++) {
      const requests: readonly (readonly [string, readonly unknown[]])[] = [
        ['eth_blockNumber', []],
        ['eth_getTransactionCount', [bytesToHex(ALICE), 'latest']],
        ['eth_getBlockByNumber', [`0x${shown.toString(16)}`, false]],
      ];
      for (const [method, params] of requests) {
        const { result, error } = await ask(method, params);
        tally.reads++;
        if (error !== undefined) tally.refused.push(`${method} after block ${seen}: ${error.message}`);
        else if (method === 'eth_getBlockByNumber') {
          if (result === null) tally.older.push(`block ${shown} was null after its receipt`);
        } else if (method === 'eth_blockNumber') {
          if (Number(result) < seen) tally.older.push(`eth_blockNumber ${Number(result)} after ${seen}`);
          seen = Math.max(seen, Number(result));
        } else {
          if (Number(result) < seenNonce) tally.older.push(`nonce ${Number(result)} after ${seenNonce}`);
          seenNonce = Math.max(seenNonce, Number(result));
        }
      }
    }
  }
}

type Answer = { readonly result?: unknown; readonly error?: { readonly message: string } };

/** Posts on a new connection, so the kernel chooses the worker. */
function post(port: number, path: string, method: string, params: readonly unknown[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      {
        port,
        host: '127.0.0.1',
        path,
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json' },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as Answer));
      },
    );
    request.on('error', reject);
    request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  });
}
