/** Outcome of one abuse, and its shortfalls. */
import { countFailures, describeFailures } from '../../operations/load/plan.ts';
import type { Abuse } from '../abuse.ts';
import type { ChargeVerdict } from './charge.ts';
import { findWorstLane, type Medians, type P99, type Rounds, readMedians, readP99 } from './rounds.ts';

const MiB = 1024 * 1024;
const MAX_RESIDENT_BYTES = 600 * MiB;
/** Maximum ratio of the neighbour's median beside calls on proof-backed state to that alone; nodes and threads do most of the work there. */
const MAX_PROVEN_MEDIAN_RATIO = 1.5;
const MAX_RECOVERY_MS = 5_000;
/** Maximum for the whole abuse; lines about one subject are limited for each minute. */
const MAX_LOG_LINES = 200;
const SHOWN_KINDS = 3;
const LEAST_SENT = 4;

export type Outcome = {
  readonly abuse: Abuse;
  readonly p99: P99;
  readonly medians: Medians;
  readonly worstLane: string;
  readonly failed: number;
  readonly failures: string;
  readonly peakBytes: number;
  readonly charge: ChargeVerdict;
  readonly recoveryMs: number;
  readonly recoveryLack: string | undefined;
  readonly sent: number;
  readonly rounds: number;
  readonly wrong: number;
  readonly logLines: number;
  readonly isRunning: boolean;
  /** Most frequent answers to the abuser. */
  readonly seen: string;
};

export function describeOutcome(
  abuse: Abuse,
  rounds: Rounds,
  rest: Pick<Outcome, 'charge' | 'logLines' | 'isRunning'>,
): Outcome {
  const { reports, attacks, recovery, socketFault } = rounds;
  const kinds = Object.entries(attacks.kinds).sort(([, a], [, b]) => b - a);
  return {
    ...rest,
    abuse,
    p99: readP99(rounds),
    medians: readMedians(rounds),
    worstLane: findWorstLane(rounds),
    failed: countFailures(reports) + (socketFault === undefined ? 0 : 1),
    failures:
      socketFault === undefined
        ? describeFailures(reports)
        : `new WebSocket: ${socketFault}; ${describeFailures(reports)}`,
    peakBytes: rounds.peakBytes,
    recoveryMs: recovery.ms,
    recoveryLack: recovery.lack,
    sent: attacks.sent,
    rounds: rounds.beside.length,
    wrong: attacks.wrong,
    seen: kinds
      .slice(0, SHOWN_KINDS)
      .map(([kind, count]) => `${count} x ${kind}`)
      .join(', '),
  };
}

/** Lists the shortfalls; empty where everything is as required. */
export function findShortfalls(outcome: Outcome): readonly string[] {
  const { p99, medians, failed, failures, peakBytes, charge, recoveryMs, recoveryLack, wrong, logLines } =
    outcome;
  const shortfalls: string[] = [];
  if (!outcome.isRunning) shortfalls.push('the service ended');
  if (isTooSlow(outcome))
    shortfalls.push(
      `p99 ${p99.beside.toFixed(1)} ms beside, ${p99.alone.toFixed(1)} ms alone, ${p99.plain.toFixed(1)} ms beside it from a plain server`,
    );
  if (isMedianTooHigh(outcome))
    shortfalls.push(`p50 ${medians.beside.toFixed(1)} ms beside, ${medians.alone.toFixed(1)} ms alone`);
  if (failed > 0) shortfalls.push(`${failed} failed: ${failures.slice(0, 200)}`);
  if (!(peakBytes < MAX_RESIDENT_BYTES)) shortfalls.push(`${toMiB(peakBytes)} MiB`);
  if (!charge.isCharged) shortfalls.push(`not charged: ${charge.text}`);
  if (recoveryLack !== undefined || recoveryMs > MAX_RECOVERY_MS)
    shortfalls.push(`well after ${(recoveryMs / 1_000).toFixed(1)} s: ${recoveryLack ?? 'late'}`);
  if (wrong > 0) shortfalls.push(`${wrong} wrong answers to the abuser: ${outcome.seen}`);
  if (logLines > MAX_LOG_LINES) shortfalls.push(`${logLines} log lines`);
  return shortfalls;
}

/** Whether the service has to be restarted. A neighbour that only waited leaves no trace, and memory is checked separately. */
export function leavesTraces({ isRunning, failed, recoveryLack, wrong }: Outcome): boolean {
  return !isRunning || failed > 0 || recoveryLack !== undefined || wrong > 0;
}

/** Whether the latency limit is exceeded; only a measurement while nothing else used the processors shows that the abuse is the cause. */
export function isTooSlow({ p99 }: Outcome): boolean {
  return p99.isCalm && !(p99.beside <= p99.limit);
}

/** Applies only to calls on state from proofs. */
function isMedianTooHigh({ abuse, p99, medians }: Outcome): boolean {
  return (
    abuse.family === 'proven state' &&
    p99.isCalm &&
    !(medians.beside <= medians.alone * MAX_PROVEN_MEDIAN_RATIO)
  );
}

/** Returns the reason why the outcome is inconclusive; undefined where it is conclusive. */
export function findDoubt({ abuse, sent, rounds, p99 }: Outcome): string | undefined {
  if (abuse.family !== 'control' && sent < (abuse.least ?? LEAST_SENT) * rounds)
    return `not tested, sent ${sent} times only`;
  if (!p99.isCalm && !(p99.beside <= p99.limit))
    return `p99 not judged, as others used ${p99.foreign.toFixed(1)} processors: ${p99.beside.toFixed(1)} ms beside, ${p99.alone.toFixed(1)} ms alone`;
  return undefined;
}

export function toMiB(bytes: number): string {
  return (bytes / MiB).toFixed(0);
}
