/**
 * The whole service against anvil (revm): requests per CPU-second of the server process, one processor each, 16
 * connections, the same contracts and state on both sides, answers compared before anything is measured. Rounds of
 * both sides take turns; figures are medians. `--json` prints the raw rounds.
 */
import { ANVIL_SKIP, type Anvil, startAnvil } from '../test/support/anvil.ts';
import { encodePost, median, runLoad } from './load.ts';
import { post, type Target } from './support/ask.ts';
import { CALL_CONTRACTS, WORKLOADS, type Workload } from './support/call-workloads.ts';
import { makeBenchFolder, writeBenchChain } from './support/chain.ts';
import {
  CAN_PIN,
  CPU_RESOLUTION,
  LOAD_CORE,
  NO_PIN_NOTE,
  pinSelf,
  pinTo,
  readCpuSeconds,
  SERVER_CORE,
} from './support/cpu.ts';
import { concludeWith, type Figure, formatColumns, WANTS_JSON } from './support/figures.ts';
import { serveDevelopment } from './support/portcullis.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 1_200);
const WARM_UP_MS = ROUND_MS / 2;
const CONNECTIONS = 16;
const GAS_LIMIT = 30_000_000n;
/** How far estimates that were searched for may lie above the least that suffices (geth's rule). */
const ESTIMATE_TOLERANCE = 1.015;
/** Below this the server waits for the generator, and wake-ups cost it more than they should. */
const BUSY_SHARE = 0.95;

const SIDES = ['anvil', 'portcullis'] as const;
type Side = (typeof SIDES)[number];

type Subject = Target & { readonly pid: number };
type Subjects = Readonly<Record<Side, Subject>>;

type Round = {
  readonly perCpuSecond: number;
  /** Share of the round in which the server's processor worked for it. */
  readonly busy: number;
};

type Measured = { readonly workload: Workload; readonly rounds: Readonly<Record<Side, Round[]>> };

/** @throws Error when the two sides do not say the same */
async function compareAnswers({ anvil, portcullis }: Subjects): Promise<void> {
  for (const { name, bodies, isEstimate } of WORKLOADS) {
    for (const body of bodies) {
      const [theirs, ours] = [await post(anvil, body), await post(portcullis, body)];
      const isSame = isEstimate === true ? areCloseEstimates(theirs, ours) : theirs === ours;
      if (!isSame) throw new Error(`${name}: answers differ\n${theirs.slice(0, 400)}\n${ours.slice(0, 400)}`);
    }
  }
}

function areCloseEstimates(...answers: readonly string[]): boolean {
  const gas = answers.map((text) => Number((JSON.parse(text) as { result?: string }).result));
  return Math.max(...gas) <= Math.min(...gas) * ESTIMATE_TOLERANCE;
}

async function runRound(subject: Subject, { bodies }: Workload, durationMs: number): Promise<Round> {
  const { port, path, pid } = subject;
  const requests = bodies.map((body) => encodePost(path, '127.0.0.1', body));
  let next = 0;
  const request = (): Buffer => requests[next++ % requests.length] as Buffer;
  const before = readCpuSeconds(pid);
  const load = await runLoad({ host: '127.0.0.1', port, request, connections: CONNECTIONS, durationMs });
  const used = Math.max(readCpuSeconds(pid) - before, CPU_RESOLUTION);
  return { perCpuSecond: load.requests / used, busy: used / load.seconds };
}

/** A side that does not stand the load has no figure: it is told, and counts as falling short. */
async function tryRound(
  side: Side,
  subject: Subject,
  workload: Workload,
  durationMs: number,
): Promise<Round> {
  try {
    return await runRound(subject, workload, durationMs);
  } catch (error) {
    console.error(`${workload.name}, ${side}: ${(error as Error).message}`);
    return { perCpuSecond: 0, busy: Number.NaN };
  }
}

async function measure(subjects: Subjects): Promise<Measured[]> {
  const measured = WORKLOADS.map((workload) => ({
    workload,
    rounds: { anvil: [], portcullis: [] } as Record<Side, Round[]>,
  }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { workload, rounds } of measured) {
      for (const side of SIDES) {
        const result = await tryRound(side, subjects[side], workload, round === 0 ? WARM_UP_MS : ROUND_MS);
        if (round > 0) rounds[side].push(result);
      }
    }
  }
  return measured;
}

function medianOf(rounds: readonly Round[], figure: keyof Round): number {
  return median(rounds.map((round) => round[figure]));
}

function report(measured: readonly Measured[]): readonly Figure[] {
  const rows = [['workload', 'anvil req/CPU-s', 'busy', 'portcullis req/CPU-s', 'busy', 'ratio', 'target']];
  const figures: Figure[] = [];
  for (const { workload, rounds } of measured) {
    const [theirs, ours] = SIDES.map((side) => medianOf(rounds[side], 'perCpuSecond')) as [number, number];
    const [theirBusy, ourBusy] = SIDES.map((side) => medianOf(rounds[side], 'busy')) as [number, number];
    const { name, target } = workload;
    const ratio = ours / theirs;
    figures.push({ name, value: ratio, ...(target !== undefined && { atLeast: target }) });
    rows.push([
      name,
      theirs.toFixed(0),
      formatBusy(theirBusy),
      ours.toFixed(0),
      formatBusy(ourBusy),
      ratio.toFixed(3),
      target?.toFixed(1) ?? '',
    ]);
  }
  if (WANTS_JSON)
    console.log(
      JSON.stringify(Object.fromEntries(measured.map(({ workload, rounds }) => [workload.name, rounds]))),
    );
  else console.log(formatColumns(rows));
  return figures;
}

function formatBusy(share: number): string {
  return `${(100 * share).toFixed(0)} %${share < BUSY_SHARE ? ' !' : ''}`;
}

async function run(): Promise<void> {
  if (ANVIL_SKIP !== false) throw new Error(ANVIL_SKIP);
  if (!CAN_PIN) console.error(NO_PIN_NOTE);
  const folder = makeBenchFolder();
  const files = await writeBenchChain(folder, CALL_CONTRACTS, GAS_LIMIT);
  pinSelf(LOAD_CORE);
  const launcher = pinTo(SERVER_CORE);
  const anvil: Anvil = await startAnvil({
    args: ['--init', files.genesis, '--hardfork', 'prague'],
    launcher,
  });
  try {
    // The head of both chains is block 1.
    await anvil.request('evm_mine');
    const portcullis = await serveDevelopment(files, `${folder}/data`, { launcher });
    try {
      const subjects = { anvil: { port: anvil.port, path: '/', pid: anvil.pid }, portcullis };
      await compareAnswers(subjects);
      concludeWith(report(await measure(subjects)));
    } finally {
      await portcullis.stop();
    }
  } finally {
    await anvil.kill();
  }
}

await run();
