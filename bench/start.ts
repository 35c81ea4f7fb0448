/**
 * Time from the start of the process to the line that reports that requests are answered: the built-in development networks on the first start
 * (imported on the way) and on a later one, and a configuration over a chain's store. `--json` prints the rounds.
 */
import { join } from 'node:path';
import { median } from './load.ts';
import { CALL_CONTRACTS } from './support/call-workloads.ts';
import { makeBenchFolder, writeBenchChain } from './support/chain.ts';
import { readCpuSeconds } from './support/cpu.ts';
import { concludeWith, type Figure, formatColumns, WANTS_JSON } from './support/figures.ts';
import { prepareStore, startPortcullis } from './support/portcullis.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
const TARGET_MS = 300;
const MAX_CALL_SECONDS = 5;
const GAS_LIMIT = 30_000_000n;

const KINDS = ['first start', 'built-in networks', 'existing store'] as const;
type Kind = (typeof KINDS)[number];

type Start = { readonly ms: number; readonly cpuMs: number };

async function timeStart(args: readonly string[], dataDir: string): Promise<Start> {
  const environment = { PORTCULLIS_PORT: '0', PORTCULLIS_DATA_DIR: dataDir };
  const startedAt = performance.now();
  const server = await startPortcullis(args, { environment });
  const ms = performance.now() - startedAt;
  const cpuMs = 1_000 * readCpuSeconds(server.pid);
  await server.stop();
  return { ms, cpuMs };
}

async function run(): Promise<void> {
  const folder = makeBenchFolder();
  const files = await writeBenchChain(folder, CALL_CONTRACTS, GAS_LIMIT);
  const { config } = await prepareStore(files, join(folder, 'store'), MAX_CALL_SECONDS);
  const builtin = join(folder, 'builtin');
  await timeStart(['start'], builtin);
  const times: Record<Kind, Start[]> = { 'first start': [], 'built-in networks': [], 'existing store': [] };
  for (let round = 0; round < ROUNDS; round++) {
    times['first start'].push(await timeStart(['start'], join(folder, `first-${round}`)));
    times['built-in networks'].push(await timeStart(['start'], builtin));
    times['existing store'].push(await timeStart(['serve', '--config', config], join(folder, 'store')));
  }
  if (WANTS_JSON) console.log(JSON.stringify(times));
  else {
    const rows = KINDS.map((kind) => {
      const ms = times[kind].map((start) => start.ms);
      const cpuMs = median(times[kind].map((start) => start.cpuMs));
      return [kind, median(ms).toFixed(0), Math.min(...ms).toFixed(0), cpuMs.toFixed(0)];
    });
    console.log(formatColumns([['start', 'median ms', 'least ms', 'CPU ms'], ...rows]));
  }
  const toFigure = (name: Kind): Figure => ({
    name,
    value: median(times[name].map(({ ms }) => ms)),
    unit: ' ms',
    digits: 0,
  });
  concludeWith([
    toFigure('first start'),
    { ...toFigure('built-in networks'), below: TARGET_MS },
    { ...toFigure('existing store'), below: TARGET_MS },
  ]);
}

await run();
