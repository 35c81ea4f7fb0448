/**
 * eth_getLogs over all blocks of a generated chain: one contract and one topic of many, 100 results in 1,000,000 logs; this program and geth over the
 * same chain, one request at a time, in interleaved rounds. Then the cost of the store's index: its bytes, and its share of an import's time. LOGS
 * (1000000), ROUNDS (7), ROUND_MS (1500). `--json` prints the rounds. Without geth, and without Go to install it, only this program is measured.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { bytesToHex } from '../packages/ethereum/primitives/hex.ts';
import { openChainWriter } from '../src/chains/embedded/store/chain-writer.ts';
import { INDEX_TABLES } from '../src/chains/embedded/store/schema.ts';
import { importChain } from '../src/service/import.ts';
import { SILENT_PROGRESS } from '../src/service/import-progress.ts';
import { addToIndexes } from '../src/service/index-store.ts';
import { startGeth } from '../test/geth/node/geth-node.ts';
import { GETH_SKIP } from '../test/geth/node/geth-program.ts';
import { stripIndexes } from '../test/support/strip-indexes.ts';
import { encodePost, median, percentile, runLoad } from './load.ts';
import { encodeRequest, post, type Target } from './support/ask.ts';
import { makeBenchFolder } from './support/chain.ts';
import { concludeWith, type Figure, formatColumns, WANTS_JSON } from './support/figures.ts';
import {
  type LogChain,
  logContract,
  prepareLogChain,
  SPARSE_HOLDER,
  TRANSFER_TOPIC,
} from './support/log-chain.ts';
import { serveStore } from './support/portcullis.ts';

const LOGS = Number(process.env['LOGS'] ?? 1_000_000);
const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 1_500);
/** geth builds its index in the background after its start: rounds are discarded until they stop getting faster. */
const MAX_WARM_UP_ROUNDS = 40;
const STEADY_ROUNDS = 4;
const LIMIT_SECONDS = 60;
const TARGET_RATIO = 20;
const TARGET_SHARE = 0.25;
const MEGABYTE = 1e6;

const FILTERS = {
  'address and topic': { address: bytesToHex(logContract(0)), topics: [null, bytesToHex(SPARSE_HOLDER)] },
  'address and two topics': {
    address: bytesToHex(logContract(0)),
    topics: [bytesToHex(TRANSFER_TOPIC), bytesToHex(SPARSE_HOLDER)],
  },
} as const;
type FilterName = keyof typeof FILTERS;
const NAMES = Object.keys(FILTERS) as readonly FilterName[];

const encodeQuestion = (name: FilterName): string =>
  encodeRequest('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', ...FILTERS[name] }]);

type WireLog = Readonly<Record<string, unknown>>;

async function readLogs(target: Target, name: FilterName): Promise<readonly WireLog[]> {
  const { result, error } = JSON.parse(await post(target, encodeQuestion(name))) as {
    readonly result?: readonly WireLog[];
    readonly error?: unknown;
  };
  if (result === undefined) throw new Error(`no logs: ${JSON.stringify(error)}`);
  return result;
}

/** Returns the median latency, milliseconds. */
async function timeRound({ port, path }: Target, name: FilterName): Promise<number> {
  const request = encodePost(path, '127.0.0.1', encodeQuestion(name));
  const load = { host: '127.0.0.1', port, request, connections: 1, durationMs: ROUND_MS };
  return percentile((await runLoad(load)).latencies, 0.5);
}

async function warmUp(target: Target): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  let steady = 0;
  for (let round = 0; round < MAX_WARM_UP_ROUNDS && steady < STEADY_ROUNDS; round++) {
    const ms = await timeRound(target, 'address and topic');
    steady = ms < 0.9 * best ? 0 : steady + 1;
    best = Math.min(best, ms);
  }
}

/** One side's rounds by filter, milliseconds. */
type Rounds = Record<FilterName, number[]>;
const emptyRounds = (): Rounds => ({ 'address and topic': [], 'address and two topics': [] });

async function compare(
  ours: Target,
  chain: LogChain,
  folder: string,
): Promise<{ ours: Rounds; geth: Rounds }> {
  const rounds = { ours: emptyRounds(), geth: emptyRounds() };
  const sides: [keyof typeof rounds, Target][] = [['ours', ours]];
  let close = async (): Promise<void> => {};
  if (GETH_SKIP !== false) console.error(GETH_SKIP);
  else {
    const headCall = join(folder, 'head.json');
    const forkchoice = {
      headBlockHash: chain.headHash,
      safeBlockHash: chain.headHash,
      finalizedBlockHash: chain.headHash,
    };
    writeFileSync(headCall, encodeRequest('engine_forkchoiceUpdatedV3', [forkchoice, null]));
    const node = await startGeth({ ...chain, headCall, blockGasLimit: chain.gasLimit });
    close = () => node.close();
    sides.push(['geth', { port: node.httpPort, path: '/' }]);
  }
  try {
    for (const name of NAMES) await compareAnswers(sides, name, chain.results);
    for (const [, target] of sides) await warmUp(target);
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of NAMES) {
        for (const [side, target] of sides) rounds[side][name].push(await timeRound(target, name));
      }
    }
  } finally {
    await close();
  }
  return rounds;
}

/** @throws Error unless all sides return the same logs, `results` of them */
async function compareAnswers(
  sides: readonly [string, Target][],
  name: FilterName,
  results: number,
): Promise<void> {
  const sorted = (log: WireLog): string => JSON.stringify(Object.entries(log).sort());
  const answers = await Promise.all(sides.map(([, target]) => readLogs(target, name)));
  for (const logs of answers) {
    if (logs.length !== results) throw new Error(`${name}: ${logs.length} logs, there are ${results}`);
    if (logs.map(sorted).join() !== answers[0]?.map(sorted).join())
      throw new Error(`${name}: the sides differ`);
  }
}

type IndexCost = {
  readonly importSeconds: number;
  readonly indexSeconds: number;
  readonly indexBytes: number;
  readonly storeBytes: number;
};

/** Imports the chain, drops the indexes and builds them again. CPU time is that of this process with its threads. */
async function measureIndex(chain: LogChain, data: string): Promise<IndexCost> {
  const timeCpu = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  const importSeconds = await timeCpu(() =>
    importChain(
      { genesis: chain.genesis, blocks: chain.blocks, data, seal: 'ethash-format' },
      SILENT_PROGRESS,
    ),
  );
  const sizes = await measureTables(data);
  await stripIndexes(data);
  const writer = openChainWriter(data);
  const indexSeconds = await timeCpu(() => addToIndexes(writer, () => undefined));
  await writer.close();
  return { importSeconds, indexSeconds, ...sizes };
}

type TableStats = {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
};

async function measureTables(
  data: string,
): Promise<{ readonly indexBytes: number; readonly storeBytes: number }> {
  const root = open<Buffer, Buffer>({
    path: data,
    readOnly: true,
    maxDbs: 24,
    encoding: 'binary',
    keyEncoding: 'binary',
  });
  let [indexBytes, storeBytes] = [0, 0];
  for (const key of [...root.getKeys()]) {
    const name = key.toString('latin1').replace(/\0$/, '');
    const table = root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' });
    const stats = table.getStats() as TableStats;
    const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
    storeBytes += pages * stats.pageSize;
    if (INDEX_TABLES.includes(name)) indexBytes += pages * stats.pageSize;
    if (WANTS_JSON) console.error(`${name}: ${((pages * stats.pageSize) / MEGABYTE).toFixed(1)} MB`);
  }
  await root.close();
  return { indexBytes, storeBytes };
}

const chain = prepareLogChain(LOGS);
const folder = makeBenchFolder();
const data = join(folder, 'chain');
mkdirSync(data);
const cost = await measureIndex(chain, data);
const server = await serveStore(data, join(folder, 'service'), LIMIT_SECONDS);
const rounds = await compare(server, chain, folder).finally(() => server.stop());
if (WANTS_JSON) console.log(JSON.stringify({ ...rounds, ...cost }));
else {
  const rows = NAMES.map((name) => {
    const [ours, geth] = [median(rounds.ours[name]), median(rounds.geth[name])];
    return [name, ours.toFixed(2), geth.toFixed(2), (geth / ours).toFixed(1)];
  });
  console.log(
    formatColumns([[`${chain.results} of ${LOGS} logs, ms`, 'ours', 'geth', 'geth to ours'], ...rows]),
  );
  console.log(
    `import ${cost.importSeconds.toFixed(1)} s of CPU; indexes alone ${cost.indexSeconds.toFixed(1)} s, ` +
      `${(cost.indexBytes / MEGABYTE).toFixed(0)} of ${(cost.storeBytes / MEGABYTE).toFixed(0)} MB, ` +
      `${(cost.indexBytes / LOGS).toFixed(0)} bytes a log`,
  );
}
const ratios: readonly Figure[] = NAMES.filter((name) => rounds.geth[name].length > 0).map((name) => ({
  name: `geth to ours, ${name}`,
  value: median(rounds.geth[name]) / median(rounds.ours[name]),
  atLeast: TARGET_RATIO,
}));
concludeWith([
  ...ratios,
  {
    name: 'indexes to the rest of an import',
    value: cost.indexSeconds / (cost.importSeconds - cost.indexSeconds),
    below: TARGET_SHARE,
  },
]);
