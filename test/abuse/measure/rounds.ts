/** The neighbour alone and beside an abuse, in turns. */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../../bench/load.ts';
import type { Load } from '../../operations/load/load.ts';
import { countFailures, type Lane, type LaneReport } from '../../operations/load/plan.ts';
import { readPercentile } from '../../operations/support/latency.ts';
import type { Abuse } from '../abuse.ts';
import type { Attack } from '../attack/attack.ts';
import type { AttackReport } from '../attack/seen.ts';
import { findWebSocketFault } from '../stage/ask.ts';
import { HEAVY_LANE } from '../stage/neighbour.ts';
import type { Stage } from '../stage/stage.ts';
import { readResidentBytes, readVitals, watchMemory } from '../stage/vitals.ts';
import { type Recovery, recover } from './recovery.ts';

/** For connections to be opened, before latencies count. */
const OPENING_MS = 100;
const P99 = 0.99;
const MAX_BYTES: number = 1_500 * 1024 * 1024;
const LOOK_MS = 20;
/** What counts as unharmed: twice the latency alone, or so many milliseconds more. */
const MAX_RATIO = 2;
const MAX_MORE_MS = 10;
/** So far below or beyond it that no further round could show anything else. */
const CLEAR = 0.7;
const HOPELESS = 10;
/** Alone it is less, unless something else wants the processors: then that is measured again. */
const CALM_MS = 15;
const ALONE_ATTEMPTS = 3;

export type RoundPlan = {
  readonly aloneMs: number;
  /** Of abuses that do not say how long they take. */
  readonly attackMs: number;
  /** Where the latencies are not clearly good or bad, they are measured again up to so many times. */
  readonly maxRounds: number;
};

export type Rounds = {
  readonly alone: readonly (readonly LaneReport[])[];
  readonly beside: readonly (readonly LaneReport[])[];
  readonly attacks: AttackReport;
  /** The slowest. */
  readonly recovery: Recovery;
  readonly peakBytes: number;
  /** Why the neighbour could not open a WebSocket beside it, where it could not. */
  readonly socketFault: string | undefined;
};

export type Actors = {
  readonly stage: Stage;
  readonly load: Load;
  readonly attack: Attack;
  readonly lanes: readonly Lane[];
};

export async function runRounds(actors: Actors, abuse: Abuse, plan: RoundPlan): Promise<Rounds> {
  const alone: (readonly LaneReport[])[] = [];
  const beside: (readonly LaneReport[])[] = [];
  const attacks: AttackReport[] = [];
  let socketFault: string | undefined;
  let recovery: Recovery = { ms: 0, lack: undefined };
  const { stage, lanes } = actors;
  const readPeak = watchMemory(stage.program.pid);
  const before = await readVitals(stage.program);
  for (let round = 0; needsRound(round, { alone, beside }, plan.maxRounds); round++) {
    alone.push(await measureAlone(actors, plan.aloneMs));
    const { reports, report, fault } = await measureBeside(actors, abuse, abuse.ms ?? plan.attackMs);
    socketFault ??= fault;
    beside.push(reports);
    attacks.push(report);
    const after = await recover(stage, lanes, before);
    if (after.ms > recovery.ms) recovery = after;
    if (after.lack !== undefined || !stage.program.isRunning) break;
  }
  return { alone, beside, attacks: addReports(attacks), recovery, peakBytes: readPeak(), socketFault };
}

async function measureAlone({ load, lanes }: Actors, ms: number): Promise<readonly LaneReport[]> {
  let calmest: readonly LaneReport[] | undefined;
  for (let attempt = 0; attempt < ALONE_ATTEMPTS; attempt++) {
    await begin(load, lanes);
    await sleep(ms);
    const reports = await load.end();
    // What fails while nothing else is asked is not for a later attempt to hide.
    if (countFailures(reports) > 0) return reports;
    if (calmest === undefined || readLight(reports) < readLight(calmest)) calmest = reports;
    if (readLight(calmest) < CALM_MS) break;
  }
  return calmest as readonly LaneReport[];
}

type Beside = {
  readonly reports: readonly LaneReport[];
  readonly report: AttackReport;
  readonly fault: string | undefined;
};

async function measureBeside(
  { stage, load, attack, lanes }: Actors,
  abuse: Abuse,
  ms: number,
): Promise<Beside> {
  await begin(load, lanes);
  await attack.begin(abuse.name, stage.targetFor(abuse.key));
  await sleepWhileSmall(stage.program.pid, ms);
  // What is under way is waited for while the abuse goes on.
  const isLarge = readResidentBytes(stage.program.pid) > MAX_BYTES;
  const report = isLarge ? await attack.end() : undefined;
  const fault = await findWebSocketFault(stage);
  const reports = await load.end();
  return { reports, report: report ?? (await attack.end()), fault };
}

/** An abuse that takes far more memory than it may is ended: others use the machine, too. */
async function sleepWhileSmall(pid: number, ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until && !(readResidentBytes(pid) > MAX_BYTES)) await sleep(LOOK_MS);
}

async function begin(load: Load, lanes: readonly Lane[]): Promise<void> {
  await load.begin(lanes);
  await sleep(OPENING_MS);
  await load.cut();
}

type Latencies = Pick<Rounds, 'alone' | 'beside'>;

function needsRound(round: number, latencies: Latencies, maxRounds: number): boolean {
  if (round === 0) return true;
  if (countFailures(latencies.beside.flat()) > 0) return false;
  const { beside, limit } = readP99(latencies);
  if (beside < limit * CLEAR || beside > limit * HOPELESS) return false;
  return round < maxRounds;
}

/** Milliseconds. */
export type P99 = {
  readonly alone: number;
  readonly beside: number;
  /** The lowest of the rounds: where it is far below, something else wanted the processors. */
  readonly best: number;
  readonly limit: number;
};

/** Over all lanes but that of the heavy calls, the middle of the rounds. */
export function readP99({ alone, beside }: Latencies): P99 {
  const aloneMs = median(alone.map(readLight));
  return {
    alone: aloneMs,
    beside: median(beside.map(readLight)),
    best: Math.min(...beside.map(readLight)),
    limit: Math.max(aloneMs * MAX_RATIO, aloneMs + MAX_MORE_MS),
  };
}

/** Without an answer it is infinite. */
function readLight(reports: readonly LaneReport[]): number {
  const p99 = readPercentile(reports.filter(isLight), P99);
  return Number.isNaN(p99) ? Number.POSITIVE_INFINITY : p99;
}

/** The lane with the highest p99 beside the abuse. */
export function findWorstLane({ beside }: Latencies): string {
  const names = [
    ...new Set(
      beside
        .flat()
        .filter(isLight)
        .map(({ name }) => name),
    ),
  ];
  const readLane = (lane: string): number =>
    readPercentile(
      beside.flat().filter(({ name }) => name === lane),
      P99,
    );
  return names.reduce((worst, name) => (readLane(name) > readLane(worst) ? name : worst), names[0] ?? '');
}

function isLight({ name }: LaneReport): boolean {
  return name !== HEAVY_LANE;
}

function addReports(reports: readonly AttackReport[]): AttackReport {
  const kinds: Record<string, number> = {};
  const sum = { sent: 0, answered: 0, bytes: 0, wrong: 0 };
  for (const report of reports) {
    for (const name of ['sent', 'answered', 'bytes', 'wrong'] as const) sum[name] += report[name];
    for (const [kind, count] of Object.entries(report.kinds)) kinds[kind] = (kinds[kind] ?? 0) + count;
  }
  return { ...sum, kinds };
}
