/**
 * Import with every root checked: blocks and gas per second of the chains of execution-apis, of mainnet's first thousand blocks and of a generated
 * one of 40,000 transfers, each in a new process, process start excluded; beside them the times of @ethereumjs. Then the latency of a small call at
 * the head of the generated chain and 10,000 blocks back, interleaved. `--json` prints the rounds.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeBlock } from '../packages/ethereum/codecs/block.ts';
import { bytesToHex } from '../packages/ethereum/primitives/hex.ts';
import { ACCOUNTS } from '../scripts/chains/accounts.ts';
import { encodeCall } from '../scripts/chains/encode-call.ts';
import { readBlocks } from '../src/chains/embedded/import/read-blocks.ts';
import { importChain } from '../src/service/import.ts';
import { SILENT_PROGRESS } from '../src/service/import-progress.ts';
import { findVectors, SKIP_REASON } from '../test/support/vectors.ts';
import { encodePost, median, percentile, runLoad } from './load.ts';
import { encodeRequest } from './support/ask.ts';
import { type ChainFiles, makeBenchFolder } from './support/chain.ts';
import { concludeWith, type Figure, formatColumns, WANTS_JSON } from './support/figures.ts';
import { type Server, serveStore } from './support/portcullis.ts';
import { prepareTransferChain, TRANSFER_TOKEN, transferRecipient } from './support/transfer-chain.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const LATENCY_ROUNDS = 7;
const LATENCY_ROUND_MS = 400;
const BLOCKS_BACK = 10_000;
const RECIPIENTS_ASKED = 200;
const MAX_CALL_SECONDS = 30;
const TARGET_LATENCY_RATIO = 1.3;

/**
 * CPU seconds with @ethereumjs/evm 10.1.3 over a trie in the store, 2026-11-21 (AMD EPYC, Zen 4; Node 20.20). CPU time stays comparable on a machine
 * with other load.
 */
const BEFORE_CPU_SECONDS = { 'execution-apis': 1.3, 'mainnet-0-999': 1.37, transfers: 122 } as const;

type ChainName = keyof typeof BEFORE_CPU_SECONDS;
const NAMES = Object.keys(BEFORE_CPU_SECONDS) as readonly ChainName[];

/** Duration of one import. */
type Run = { readonly seconds: number; readonly cpuSeconds: number };

function findVectorChain(set: string, genesis: string, blocks: string): ChainFiles {
  const folder = findVectors(set);
  if (folder === undefined) throw new Error(SKIP_REASON);
  return { genesis: join(folder, genesis), blocks: join(folder, blocks) };
}

async function prepareChains(): Promise<Readonly<Record<ChainName, ChainFiles>>> {
  return {
    'execution-apis': findVectorChain('execution-apis', 'tests/genesis.json', 'tests/chain.rlp'),
    'mainnet-0-999': findVectorChain('mainnet-0-999', 'mainnet.json', '1000.blocks'),
    transfers: await prepareTransferChain(),
  };
}

/** Blocks and gas of a chain above genesis. */
type Contents = { readonly blocks: number; readonly gas: number };

async function countContents(file: string): Promise<Contents> {
  let [blocks, gas] = [0, 0];
  for await (const { encoded } of readBlocks(file)) {
    const { header } = decodeBlock(encoded);
    if (header.number === 0n) continue;
    blocks++;
    gas += Number(header.gasUsed);
  }
  return { blocks, gas };
}

/** Runs the child's side: one import, whose duration it sends. */
async function runAsChild(genesis: string, blocks: string, data: string): Promise<void> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await importChain({ genesis, blocks, data, seal: 'ethash-format' }, SILENT_PROGRESS);
  const { user, system } = process.cpuUsage(cpu);
  const run: Run = { seconds: (performance.now() - startedAt) / 1_000, cpuSeconds: (user + system) / 1e6 };
  process.send?.(run);
}

async function importInChild({ genesis, blocks }: ChainFiles, data: string): Promise<Run> {
  const child = fork(fileURLToPath(import.meta.url), [genesis, blocks, data]);
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`the import ended with ${code}`)));
  const [run] = (await Promise.race([once(child, 'message'), failed])) as [Run];
  await Promise.all([exited, failed.catch(() => undefined)]);
  return run;
}

/**
 * Requests balances of the same owners at `block`, one at a time.
 * @returns the median latency, milliseconds
 */
async function timeCalls(server: Server, block: string): Promise<number> {
  const owners = [
    ...ACCOUNTS.map(({ address }) => address),
    ...Array.from({ length: RECIPIENTS_ASKED }, (_, i) => transferRecipient(i)),
  ];
  const requests = owners.map((owner) => {
    const call = {
      to: bytesToHex(TRANSFER_TOKEN),
      data: bytesToHex(encodeCall('balanceOf(address)', owner)),
    };
    return encodePost(server.path, '127.0.0.1', encodeRequest('eth_call', [call, block]));
  });
  let next = 0;
  const { latencies } = await runLoad({
    host: '127.0.0.1',
    port: server.port,
    request: () => requests[next++ % requests.length] as Buffer,
    connections: 1,
    durationMs: LATENCY_ROUND_MS,
  });
  return percentile(latencies, 0.5);
}

type Latencies = { readonly head: number[]; readonly back: number[] };

async function compareLatencies(data: string, headNumber: number): Promise<Latencies> {
  const server = await serveStore(data, makeBenchFolder(), MAX_CALL_SECONDS);
  const latencies: Latencies = { head: [], back: [] };
  const past = `0x${(headNumber - BLOCKS_BACK).toString(16)}`;
  try {
    for (let round = 0; round <= LATENCY_ROUNDS; round++) {
      const [head, back] = [await timeCalls(server, 'latest'), await timeCalls(server, past)];
      if (round === 0) continue;
      latencies.head.push(head);
      latencies.back.push(back);
    }
  } finally {
    await server.stop();
  }
  return latencies;
}

type Runs = Readonly<Record<ChainName, Run[]>>;

/**
 * Imports every chain in each round.
 * @returns the duration of each import, and the last store of the generated chain
 */
async function measureImports(
  chains: Readonly<Record<ChainName, ChainFiles>>,
): Promise<{ readonly runs: Runs; readonly store: string }> {
  const folder = makeBenchFolder();
  const runs: Runs = { 'execution-apis': [], 'mainnet-0-999': [], transfers: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of NAMES)
      runs[name].push(await importInChild(chains[name], join(folder, `${name}-${round}`)));
  }
  return { runs, store: join(folder, `transfers-${ROUNDS - 1}`) };
}

/** Returns one row of the table, and the chain's figure for the last line. */
function describeRuns(name: ChainName, { blocks, gas }: Contents, runs: readonly Run[]): [string[], Figure] {
  const rate = blocks / median(runs.map(({ seconds }) => seconds));
  const cpu = median(runs.map(({ cpuSeconds }) => cpuSeconds));
  const before = BEFORE_CPU_SECONDS[name];
  const cells = [
    rate.toFixed(0),
    ((rate * gas) / blocks / 1e6).toFixed(2),
    cpu.toFixed(2),
    before.toFixed(2),
    (before / cpu).toFixed(2),
  ];
  return [
    [name, String(blocks), ...cells],
    { name: `import of ${name}`, value: rate, unit: ' blocks/s', digits: 0 },
  ];
}

async function runParent(): Promise<void> {
  const chains = await prepareChains();
  const { runs, store } = await measureImports(chains);
  const contents = await Promise.all(NAMES.map((name) => countContents(chains[name].blocks)));
  const described = NAMES.map((name, i) => describeRuns(name, contents[i] as Contents, runs[name]));
  const headNumber = (contents[NAMES.indexOf('transfers')] as Contents).blocks;
  const latencies = await compareLatencies(store, headNumber);
  const [head, back] = [median(latencies.head), median(latencies.back)];
  if (WANTS_JSON) console.log(JSON.stringify({ runs, latencies }));
  else {
    const header = ['chain', 'blocks', 'blocks/s', 'Mgas/s', 'CPU s', 'before', 'times less CPU'];
    console.log(formatColumns([header, ...described.map(([row]) => row)]));
    console.log(`eth_call p50: head ${head.toFixed(3)} ms, ${BLOCKS_BACK} blocks back ${back.toFixed(3)} ms`);
  }
  concludeWith([
    ...described.map(([, figure]) => figure),
    { name: `call ${BLOCKS_BACK} blocks back to head`, value: back / head, below: TARGET_LATENCY_RATIO },
  ]);
}

const [genesis, blocks, data] = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
await (genesis === undefined || blocks === undefined || data === undefined
  ? runParent()
  : runAsChild(genesis, blocks, data));
