/**
 * The neighbour beside an abuse and without it, in turns. The attackers share the processors of the service, which others would not:
 * without the abuse they compute as much as they did for it. Where that is not enough, the same abuse and the same neighbour have a plain
 * server in the service's place: what neighbours wait for there, the kernel and node take, whatever stands behind them.
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

/** For connections to be opened, before latencies count. */
const OPENING_MS = 100;
const P99 = 0.99;
const MIDDLE = 0.5;
const MAX_BYTES: number = 1_500 * 1024 * 1024;
const LOOK_MS = 20;
/** What counts as unharmed: twice the latency alone, or so many milliseconds more than alone, or than a plain server makes beside the same abuse. */
const MAX_RATIO = 2;
const MAX_MORE_MS = 10;
/** So far below or beyond it that no further round could show anything else. */
const CLEAR = 0.7;
const HOPELESS = 10;
/** What counts as alone: the middle of so many of the last measurements, which are short. */
const ALONE_ROUNDS = 5;
/** Measurements are of the same where the attackers computed for the same share of a processor, but for this much. */
const SAME_SHARE = 0.1;
/** Earlier measurements that are kept, of any share. */
const KEPT_ROUNDS = 60;
/** Alone it is measured again where fewer of the comparable measurements are younger than this, milliseconds. */
const FRESH_ROUNDS = 3;
const FRESH_MS = 60_000;

export type RoundPlan = {
  readonly aloneMs: number;
  /** Of abuses that do not say how long they take. */
  readonly attackMs: number;
  /** Where the latencies are not clearly good or bad, or something else wanted the processors, they are measured up to so many times. */
  readonly maxRounds: number;
  /** Whether there is time for one more round than the first. */
  readonly hasTime?: () => boolean;
};

/** What a neighbour was answered for a while. */
export type Round = {
  readonly reports: readonly LaneReport[];
  /** Processors that programs without a part in it used meanwhile. */
  readonly foreign: number;
  /** Processors that the attackers used meanwhile, 0 to 1 and a little more. */
  readonly attackers?: number;
  /** When it ended, milliseconds of `performance.now`. */
  readonly endedAt?: number;
};

export type Rounds = {
  /** The last of this and earlier abuses whose attackers computed as much. */
  readonly alone: readonly Round[];
  readonly beside: readonly Round[];
  /** Beside the same abuse of a plain server; empty where the neighbour was unharmed without looking at it. */
  readonly plain: readonly Round[];
  /** Of all that was measured for this abuse. */
  readonly reports: readonly LaneReport[];
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
  readonly plain: PlainServer;
  readonly lanes: readonly Lane[];
  /** Of the service as it runs now, alone; what is measured is added. */
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

/** @param share of a processor, for which the attackers compute meanwhile */
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
  // What is under way is waited for while the abuse goes on.
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

type Latencies = Pick<Rounds, 'alone' | 'beside' | 'plain'>;
type Pair = Pick<Rounds, 'alone' | 'beside'>;

function needsRound(round: number, latencies: Latencies, { maxRounds, hasTime }: RoundPlan): boolean {
  if (round === 0) return true;
  if (round >= maxRounds || hasTime?.() === false) return false;
  if (countFailures(latencies.beside.flatMap(({ reports }) => reports)) > 0) return false;
  const { beside, limit, isCalm } = readP99(latencies);
  // What others wanted can only have made it higher.
  if (beside < limit * CLEAR) return false;
  return !isCalm || beside <= limit * HOPELESS;
}

/** The neighbour's median latency over all lanes but that of the heavy calls, alone and beside. Milliseconds. */
export type Medians = { readonly alone: number; readonly beside: number };

/** Of the rounds that count. */
export function readMedians({ alone, beside }: Pair): Medians {
  const isCalm = alone.some(isRoundCalm) && beside.some(isRoundCalm);
  const read = (rounds: readonly Round[]): number =>
    median((isCalm ? rounds.filter(isRoundCalm) : rounds).map((round) => readLight(round, MIDDLE)));
  return { alone: read(alone), beside: read(beside) };
}

/** Milliseconds. */
export type P99 = {
  readonly alone: number;
  readonly beside: number;
  /** Of a plain server beside the same abuse; NaN where it was not measured. */
  readonly plain: number;
  /** The lowest of the rounds: where it is far below, something else wanted the processors. */
  readonly best: number;
  readonly limit: number;
  /** Whether there were rounds in which nothing else wanted the processors: the others do not count then. */
  readonly isCalm: boolean;
  /** Processors that others used, in the calmest round alone or beside, whichever was less calm. */
  readonly foreign: number;
};

/** Over all lanes but that of the heavy calls, the middle of the rounds that count. */
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

/** A plain server that did not answer says nothing. */
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

/** Without an answer it is infinite. */
function readLight({ reports }: Round, part: number): number {
  const latency = readPercentile(reports.filter(isLight), part);
  return Number.isNaN(latency) ? Number.POSITIVE_INFINITY : latency;
}

/** The lane with the highest p99 beside the abuse. */
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
