/** The neighbour alone and beside an abuse, in turns. */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../../bench/load.ts';
import type { Load } from '../../operations/load/load.ts';
import type { Lane, LaneReport } from '../../operations/load/plan.ts';
import { readPercentile } from '../../operations/support/latency.ts';
import type { Abuse } from '../abuse.ts';
import type { Attack } from '../attack/attack.ts';
import type { AttackReport } from '../attack/seen.ts';
import { HEAVY_LANE } from '../stage/neighbour.ts';
import type { Stage } from '../stage/stage.ts';
import { readVitals, watchMemory } from '../stage/vitals.ts';
import { type Recovery, recover } from './recovery.ts';

/** For connections to be opened, before latencies count. */
const OPENING_MS = 100;
const P99 = 0.99;
/** What counts as unharmed: twice the latency alone, or so many milliseconds more. */
const MAX_RATIO = 2;
const MAX_MORE_MS = 10;
/** So far beyond it that no further round could show anything else. */
const HOPELESS = 5;

export type RoundPlan = {
  readonly aloneMs: number;
  /** Of abuses that do not say how long they take. */
  readonly attackMs: number;
  readonly rounds: number;
  /** Where the latencies are too high, they are measured again up to so many times. */
  readonly maxRounds: number;
};

export type Rounds = {
  readonly alone: readonly (readonly LaneReport[])[];
  readonly beside: readonly (readonly LaneReport[])[];
  readonly attacks: AttackReport;
  /** The slowest. */
  readonly recovery: Recovery;
  readonly peakBytes: number;
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
  let recovery: Recovery = { ms: 0, lack: undefined };
  const { stage, lanes } = actors;
  const readPeak = watchMemory(stage.program.pid);
  const before = await readVitals(stage.program);
  for (let round = 0; needsRound(round, { alone, beside }, plan); round++) {
    alone.push(await measureAlone(actors, plan.aloneMs));
    const { reports, report } = await measureBeside(actors, abuse, abuse.ms ?? plan.attackMs);
    beside.push(reports);
    attacks.push(report);
    const after = await recover(stage, lanes, before);
    if (after.ms > recovery.ms) recovery = after;
    if (after.lack !== undefined || !stage.program.isRunning) break;
  }
  return { alone, beside, attacks: addReports(attacks), recovery, peakBytes: readPeak() };
}

async function measureAlone({ load, lanes }: Actors, ms: number): Promise<readonly LaneReport[]> {
  await begin(load, lanes);
  await sleep(ms);
  return load.end();
}

async function measureBeside(
  { stage, load, attack, lanes }: Actors,
  abuse: Abuse,
  ms: number,
): Promise<{ readonly reports: readonly LaneReport[]; readonly report: AttackReport }> {
  await begin(load, lanes);
  await attack.begin(abuse.name, stage.targetFor(abuse.key));
  await sleep(ms);
  // What is under way is waited for while the abuse goes on.
  const reports = await load.end();
  return { reports, report: await attack.end() };
}

async function begin(load: Load, lanes: readonly Lane[]): Promise<void> {
  await load.begin(lanes);
  await sleep(OPENING_MS);
  await load.cut();
}

type Latencies = Pick<Rounds, 'alone' | 'beside'>;

function needsRound(round: number, latencies: Latencies, { rounds, maxRounds }: RoundPlan): boolean {
  if (round === 0) return true;
  const { beside, limit } = readP99(latencies);
  if (beside > limit * HOPELESS) return false;
  return round < rounds || (round < maxRounds && beside > limit);
}

/** Milliseconds. */
export type P99 = { readonly alone: number; readonly beside: number; readonly limit: number };

/** Over all lanes but that of the heavy calls: of all rounds alone together, and the middle of the rounds beside it. */
export function readP99({ alone, beside }: Latencies): P99 {
  const aloneMs = readPercentile(alone.flat().filter(isLight), P99);
  const rounds = beside.map((reports) => readPercentile(reports.filter(isLight), P99));
  return {
    alone: aloneMs,
    beside: median(rounds.map((ms) => (Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms))),
    limit: Math.max(aloneMs * MAX_RATIO, aloneMs + MAX_MORE_MS),
  };
}

/** The lane with the highest p99 beside the abuse. */
export function findWorstLane({ beside }: Latencies): string {
  const names = [...new Set(beside.flat().filter(isLight).map(({ name }) => name))];
  const readLane = (lane: string): number =>
    readPercentile(beside.flat().filter(({ name }) => name === lane), P99);
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
