/**
 * Two servers on the same chain, one processor each, loaded in interleaved rounds over 16 connections: requests per CPU-second of the server process.
 * Answers are compared before the measurement; figures are medians.
 */
import { encodePost, median, runLoad } from '../load.ts';
import { post, type Target } from './ask.ts';
import type { Workload } from './call-workloads.ts';
import { CPU_RESOLUTION, readCpuSeconds } from './cpu.ts';
import { type Figure, formatColumns, WANTS_JSON } from './figures.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 1_200);
const WARM_UP_MS = ROUND_MS / 2;
const CONNECTIONS = 16;
/** Largest ratio between two estimates: a search may end this far above the least sufficient gas (geth's rule). */
const ESTIMATE_TOLERANCE = 1.015;
/** Below this share the server waits for the generator, and wake-ups inflate its cost. */
const BUSY_SHARE = 0.95;

/** Substring of the names of the workloads to run. */
const ONLY = process.env['ONLY'] ?? '';
/** Cap on the bodies of each workload that are compared and sent. */
const BODIES = Number(process.env['BODIES'] ?? Number.POSITIVE_INFINITY);

/** A server under measurement, with its name in the table. */
export type Side = Target & { readonly pid: number; readonly label: string };

/** The reference, then the side that is compared with it. */
export type Sides = readonly [Side, Side];

type Round = {
  readonly perCpuSecond: number;
  /** Share of the round in which the server's processor worked for it. */
  readonly busy: number;
};

type Measured = { readonly workload: Workload; readonly rounds: readonly [Round[], Round[]] };

/** @throws Error when the two sides answer differently */
async function compareAnswers([first, second]: Sides, workloads: readonly Workload[]): Promise<void> {
  for (const { name, bodies, isEstimate, digest } of workloads) {
    for (const body of bodies) {
      const [theirs, ours] = [await post(first, body), await post(second, body)];
      const isSame =
        isEstimate === true
          ? areCloseEstimates(theirs, ours)
          : digestOf(theirs, digest) === digestOf(ours, digest);
      if (!isSame) throw new Error(`${name}: answers differ\n${theirs.slice(0, 400)}\n${ours.slice(0, 400)}`);
    }
  }
}

function digestOf(answer: string, digest: Workload['digest']): string {
  return digest === undefined
    ? answer
    : JSON.stringify(digest(JSON.parse(answer).result as never), encodeInteger);
}

/** Encodes bigints as strings, because JSON numbers lose precision. */
function encodeInteger(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function areCloseEstimates(...answers: readonly string[]): boolean {
  const gas = answers.map((text) => Number((JSON.parse(text) as { result?: string }).result));
  return Math.max(...gas) <= Math.min(...gas) * ESTIMATE_TOLERANCE;
}

async function runRound(subject: Side, { bodies }: Workload, durationMs: number): Promise<Round> {
  const { port, path, pid } = subject;
  const requests = bodies.map((body) => encodePost(path, '127.0.0.1', body));
  let next = 0;
  const request = (): Buffer => requests[next++ % requests.length] as Buffer;
  const before = readCpuSeconds(pid);
  const load = await runLoad({ host: '127.0.0.1', port, request, connections: CONNECTIONS, durationMs });
  const used = Math.max(readCpuSeconds(pid) - before, CPU_RESOLUTION);
  return { perCpuSecond: load.requests / used, busy: used / load.seconds };
}

/** Runs a round; a side that fails under the load has no figure: the failure is printed, and counts as a missed target. */
async function tryRound(side: Side, workload: Workload, durationMs: number): Promise<Round> {
  try {
    return await runRound(side, workload, durationMs);
  } catch (error) {
    console.error(`${workload.name}, ${side.label}: ${(error as Error).message}`);
    return { perCpuSecond: 0, busy: Number.NaN };
  }
}

async function measure(sides: Sides, workloads: readonly Workload[]): Promise<Measured[]> {
  const measured: Measured[] = workloads.map((workload) => ({ workload, rounds: [[], []] }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { workload, rounds } of measured) {
      for (const at of [0, 1] as const) {
        const result = await tryRound(sides[at], workload, round === 0 ? WARM_UP_MS : ROUND_MS);
        if (round > 0) rounds[at].push(result);
      }
    }
  }
  return measured;
}

function medianOf(rounds: readonly Round[], figure: keyof Round): number {
  return median(rounds.map((round) => round[figure]));
}

function report(
  [{ label: first }, { label: second }]: Sides,
  measured: readonly Measured[],
  targetOf: (workload: Workload) => number | undefined,
): readonly Figure[] {
  const rows = [['workload', `${first} req/CPU-s`, 'busy', `${second} req/CPU-s`, 'busy', 'ratio', 'target']];
  const figures: Figure[] = [];
  for (const { workload, rounds } of measured) {
    const [theirs, ours] = [medianOf(rounds[0], 'perCpuSecond'), medianOf(rounds[1], 'perCpuSecond')];
    const [theirBusy, ourBusy] = [medianOf(rounds[0], 'busy'), medianOf(rounds[1], 'busy')];
    const { name } = workload;
    const target = targetOf(workload);
    const ratio = ours / theirs;
    figures.push({ name, value: ratio, ...(target !== undefined && { atLeast: target }) });
    rows.push([
      name,
      theirs.toFixed(0),
      formatBusy(theirBusy),
      ours.toFixed(0),
      formatBusy(ourBusy),
      ratio.toFixed(3),
      target?.toFixed(2) ?? '',
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

/**
 * Compares answers, measures, and prints a table.
 * @param targetOf returns the least ratio of second to first
 * @throws Error when the two sides answer differently
 */
export async function compareSides(
  sides: Sides,
  workloads: readonly Workload[],
  targetOf: (workload: Workload) => number | undefined,
): Promise<readonly Figure[]> {
  const chosen = workloads
    .filter(({ name }) => name.includes(ONLY))
    .map((workload) => ({ ...workload, bodies: workload.bodies.slice(0, BODIES) }));
  await compareAnswers(sides, chosen);
  return report(sides, await measure(sides, chosen), targetOf);
}
