/**
 * Measures the neighbour beside an abuse and without it, in turns. The attackers share the processors of the service, which real ones
 * would not: without the abuse they compute as much as they did for it. Where that does not explain the latency, the same abuse and the same
 * neighbour run against a plain server in the service's place: the latency there is due to the kernel and Node.js, whatever the service does.
 */
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
import type { PlainServer } from '../stage/plain-server.ts';
import type { Stage } from '../stage/stage.ts';
import { readResidentBytes, readVitals, watchMemory } from '../stage/vitals.ts';
import { CALM_PROCESSORS, watchProcess, watchProcessors } from './processors.ts';
import { type Recovery, recover } from './recovery.ts';

/** Time for connections to open before latencies count. */
const OPENING_MS = 100;
const P99 = 0.99;
const MIDDLE = 0.5;
const MAX_BYTES: number = 1_500 * 1024 * 1024;
const LOOK_MS = 20;
/** Unharmed: at most twice the latency alone, or at most this many milliseconds more than alone, or than a plain server beside the same abuse. */
const MAX_RATIO = 2;
const MAX_MORE_MS = 10;
/** Factors of the limit below or above which no further round could change the result. */
const CLEAR = 0.7;
const HOPELESS = 10;
/** Baseline: the median of this many of the last measurements, each of which is short. */
const ALONE_ROUNDS = 5;
/** Measurements are comparable when the attackers' shares of a processor differ by at most this. */
const SAME_SHARE = 0.1;
/** Maximum number of stored baseline measurements, of any share. */
const KEPT_ROUNDS = 60;
/** The baseline is measured again when fewer of the comparable measurements are younger than `FRESH_MS`, milliseconds. */
const FRESH_ROUNDS = 3;
const FRESH_MS = 60_000;

export type RoundPlan = {
  readonly aloneMs: number;
  /** Duration of abuses that specify none. */
  readonly attackMs: number;
  /** Maximum number of rounds, used where the latencies are not clearly good or bad, or other programs used the processors. */
  readonly maxRounds: number;
  /** Returns whether there is time for one more round than the first. */
  readonly hasTime?: () => boolean;
};

/** A neighbour's results during one measurement. */
export type Round = {
  readonly reports: readonly LaneReport[];
  /** Processors that unrelated programs used during the measurement. */
  readonly foreign: number;
  /** Processors that the attackers used during the measurement, 0 to slightly above 1. */
  readonly attackers?: number;
  /** End of the measurement, milliseconds of `performance.now`. */
  readonly endedAt?: number;
};

export type Rounds = {
  /** Last baselines of this and earlier abuses whose attackers computed as much. */
  readonly alone: readonly Round[];
  readonly beside: readonly Round[];
  /** Measurements of a plain server beside the same abuse; empty where the neighbour was unharmed without them. */
  readonly plain: readonly Round[];
  /** Reports of all measurements of this abuse. */
  readonly reports: readonly LaneReport[];
  readonly attacks: AttackReport;
  /** Slowest recovery. */
  readonly recovery: Recovery;
  readonly peakBytes: number;
  /** Reason why the neighbour could not open a WebSocket beside the abuse. */
  readonly socketFault: string | undefined;
};

export type Actors = {
  readonly stage: Stage;
  readonly load: Load;
  readonly attack: Attack;
  readonly plain: PlainServer;
  readonly lanes: readonly Lane[];
  /** Baselines of the current service process; new ones are appended. */
  readonly alone: Round[];
};

export async function runRounds(actors: Actors, abuse: Abuse, plan: RoundPlan): Promise<Rounds> {
  const beside: Round[] = [];
  const plain: Round[] = [];
  const all: LaneReport[] = [];
  const attacks: AttackReport[] = [];
  let socketFault: string | undefined;
  let recovery: Recovery = { ms: 0, lack: undefined };
  const { stage, lanes, alone } = actors;
  const readPeak = watchMemory(stage.program.pid);
  const vitals = await readVitals(stage.program);
  let comparable: readonly Round[] = [];
  for (let round = 0; needsRound(round, { alone: comparable, beside, plain }, plan); round++) {
    const { report, fault, ...measured } = await measureBeside(actors, abuse, abuse.ms ?? plan.attackMs);
    socketFault ??= fault;
    beside.push(measured);
    all.push(...measured.reports);
    attacks.push(report);
    const after = await recover(stage, lanes, vitals);
    if (after.ms > recovery.ms) recovery = after;
    if (!stage.program.isRunning) break;
    if (!isFresh(findComparable(alone, measured.attackers))) {
      const without = await measureAlone(actors, plan.aloneMs, measured.attackers);
      all.push(...without.reports);
      alone.push(without);
      if (alone.length > KEPT_ROUNDS) alone.shift();
    }
    comparable = findComparable(alone, measured.attackers);
    if (!isWithin(readP99({ alone: comparable, beside, plain })))
      plain.push(await measurePlain(actors, abuse, abuse.ms ?? plan.attackMs));
    if (after.lack !== undefined) break;
  }
  const peakBytes = readPeak();
  return {
    alone: comparable,
    beside,
    plain,
    reports: all,
    attacks: addReports(attacks),
    recovery,
    peakBytes,
    socketFault,
  };
}

/** @param share of a processor that the attackers use for computing meanwhile */
async function measureAlone(actors: Actors, ms: number, share: number): Promise<Round> {
  const { load, attack, lanes } = actors;
  await begin(load, lanes);
  const readForeign = watchProcessors(listProcesses(actors));
  await attack.compute(share);
  await sleep(ms);
  const foreign = readForeign();
  const reports = await load.end();
  await attack.end();
  return { reports, foreign, attackers: share, endedAt: performance.now() };
}

function findComparable(rounds: readonly Round[], share: number): readonly Round[] {
  return rounds.filter(({ attackers = 0 }) => Math.abs(attackers - share) <= SAME_SHARE).slice(-ALONE_ROUNDS);
}

function isFresh(rounds: readonly Round[]): boolean {
  const since = performance.now() - FRESH_MS;
  return rounds.filter(({ endedAt = 0 }) => endedAt > since).length >= FRESH_ROUNDS;
}

function listProcesses({ stage, load, attack, plain }: Actors): readonly number[] {
  return [process.pid, stage.program.pid, ...stage.nodePids, load.pid, attack.pid, plain.pid];
}

type Beside = Round & {
  readonly attackers: number;
  readonly report: AttackReport;
  readonly fault: string | undefined;
};

async function measureBeside(actors: Actors, abuse: Abuse, ms: number): Promise<Beside> {
  const { stage, load, attack, lanes } = actors;
  await begin(load, lanes);
  const readForeign = watchProcessors(listProcesses(actors));
  const readAttackers = watchProcess(attack.pid);
  await attack.begin(abuse.name, stage.targetFor(abuse.key));
  await sleepWhileSmall(stage.program.pid, ms);
  const attackers = readAttackers();
  // Requests in flight are awaited while the abuse continues.
  const isLarge = readResidentBytes(stage.program.pid) > MAX_BYTES;
  const report = isLarge ? await attack.end() : undefined;
  const fault = await findWebSocketFault(stage);
  const reports = await load.end();
  const foreign = readForeign();
  return { reports, foreign, attackers, report: report ?? (await attack.end()), fault };
}

async function measurePlain(
  { stage, load, attack, plain, ...rest }: Actors,
  abuse: Abuse,
  ms: number,
): Promise<Round> {
  const { port } = plain;
  await begin(
    load,
    rest.lanes.map((lane) => ({ ...lane, port })),
  );
  const readForeign = watchProcessors(listProcesses({ stage, load, attack, plain, ...rest }));
  await attack.begin(abuse.name, { ...stage.targetFor(abuse.key), port });
  await sleep(ms);
  const reports = await load.end();
  const foreign = readForeign();
  await attack.end();
  return { reports, foreign };
}

/** Waits, but returns early when the service exceeds `MAX_BYTES`, because others use the machine, too. */
async function sleepWhileSmall(pid: number, ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until && !(readResidentBytes(pid) > MAX_BYTES)) await sleep(LOOK_MS);
}

async function begin(load: Load, lanes: readonly Lane[]): Promise<void> {
  await load.begin(lanes);
  await sleep(OPENING_MS);
  await load.cut();
}

type Latencies = Pick<Rounds, 'alone' | 'beside' | 'plain'>;
type Pair = Pick<Rounds, 'alone' | 'beside'>;

function needsRound(round: number, latencies: Latencies, { maxRounds, hasTime }: RoundPlan): boolean {
  if (round === 0) return true;
  if (round >= maxRounds || hasTime?.() === false) return false;
  if (countFailures(latencies.beside.flatMap(({ reports }) => reports)) > 0) return false;
  const { beside, limit, isCalm } = readP99(latencies);
  // Load of other programs cannot have lowered the latency.
  if (beside < limit * CLEAR) return false;
  return !isCalm || beside <= limit * HOPELESS;
}

/** The neighbour's median latency over all lanes but the heavy one, alone and beside the abuse. Milliseconds. */
export type Medians = { readonly alone: number; readonly beside: number };

/** Reads medians of the calm rounds, or of all where alone or beside none is calm. */
export function readMedians({ alone, beside }: Pair): Medians {
  const isCalm = alone.some(isRoundCalm) && beside.some(isRoundCalm);
  const read = (rounds: readonly Round[]): number =>
    median((isCalm ? rounds.filter(isRoundCalm) : rounds).map((round) => readLight(round, MIDDLE)));
  return { alone: read(alone), beside: read(beside) };
}

/** The 99th percentile of latency, milliseconds. */
export type P99 = {
  readonly alone: number;
  readonly beside: number;
  /** Latency of a plain server beside the same abuse; NaN where it was not measured. */
  readonly plain: number;
  /** Lowest of the rounds: where it is far below `beside`, other programs used the processors. */
  readonly best: number;
  readonly limit: number;
  /** Whether there were rounds without other programs on the processors; the remaining rounds do not count then. */
  readonly isCalm: boolean;
  /** Processors that other programs used in the calmest round alone or beside, whichever is higher. */
  readonly foreign: number;
};

/** Reads the median over the rounds that count, of all lanes but the heavy one. */
export function readP99({ alone, beside, plain }: Latencies): P99 {
  const [calmAlone, calmBeside] = [alone.filter(isRoundCalm), beside.filter(isRoundCalm)];
  const isCalm = calmAlone.length > 0 && calmBeside.length > 0;
  const aloneMs = median((isCalm ? calmAlone : alone).map((round) => readLight(round, P99)));
  const plainMs = plain.length === 0 ? Number.NaN : median(plain.map((round) => readLight(round, P99)));
  const latencies = (isCalm ? calmBeside : beside).map((round) => readLight(round, P99));
  return {
    alone: aloneMs,
    beside: median(latencies),
    plain: plainMs,
    best: Math.min(...latencies),
    limit: Math.max(aloneMs * MAX_RATIO, aloneMs + MAX_MORE_MS, readPlainLimit(plainMs)),
    isCalm,
    foreign: Math.max(...[alone, beside].map((rounds) => Math.min(...rounds.map(({ foreign }) => foreign)))),
  };
}

/** Returns 0, which raises no limit, where the plain server did not answer. */
function readPlainLimit(plainMs: number): number {
  return Number.isFinite(plainMs) ? plainMs + MAX_MORE_MS : 0;
}

/** Whether the neighbour counts as unharmed. */
export function isWithin({ beside, limit }: P99): boolean {
  return beside <= limit;
}

function isRoundCalm({ foreign }: Round): boolean {
  return foreign < CALM_PROCESSORS;
}

/** Returns infinity when there was no answer. */
function readLight({ reports }: Round, part: number): number {
  const latency = readPercentile(reports.filter(isLight), part);
  return Number.isNaN(latency) ? Number.POSITIVE_INFINITY : latency;
}

/** Returns the lane with the highest p99 beside the abuse. */
export function findWorstLane({ beside }: Pair): string {
  const reports = beside.flatMap((round) => round.reports).filter(isLight);
  const names = [...new Set(reports.map(({ name }) => name))];
  const readLane = (lane: string): number =>
    readPercentile(
      reports.filter(({ name }) => name === lane),
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
