/**
 * Runs every known way to deny the service to others beside a polite neighbour on another key, and compares the neighbour's latencies
 * with those without the abuse, in turns. A table shows each outcome, the last line has all figures. Exits with 1 when an abuse falls
 * short, could not be made, or was measured only while other programs used the processors. `ONLY=text` selects abuses with the text
 * in their name or family; `ROUNDS`, `ATTACK_MS` and `PRIORITY` (`idle`, `low`, `normal`) are for closer investigation.
 */
import { cpus, loadavg } from 'node:os';
import { concludeWith, formatColumns } from '../../bench/support/figures.ts';
import type { Abuse } from './abuse.ts';
import type { AttackPriority } from './attack/attack.ts';
import { ABUSES } from './kinds/table.ts';
import { findDoubt, findShortfalls, isTooSlow, type Outcome, toMiB } from './measure/outcome.ts';
import { Session } from './session.ts';

const ONLY = process.env['ONLY'] ?? '';
const ALONE_MS = 400;
const ATTACK_MS = Number(process.env['ATTACK_MS'] ?? 1_100);
const MAX_ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const BUSY_SHARE = 0.5;
const [load = 0] = loadavg();
/** On a busy machine an `idle` process gets no processor time at all, so attackers run at `low` there. */
const PRIORITY = (process.env['PRIORITY'] ??
  (load < cpus().length * BUSY_SHARE ? 'idle' : 'low')) as AttackPriority;
/** Time per round beside the measurements: opening, recovery, charging. */
const OVERHEAD_MS = 600;
/** Further rounds run while the estimated first rounds still fit. Less than `MAX_MINUTES`: a round of the plain server is not in the estimate. */
const BUDGET_MS = 480_000;
const MIN_KINDS = 25;
const MAX_MINUTES = 10;
const MAX_RESIDENT_MIB = 600;

const HEADER = [
  'abuse',
  'by',
  'alone',
  'plain',
  'p99 ms',
  'best',
  'ratio',
  'p50',
  'of',
  'failed',
  'MiB',
  's',
  'log',
  'sent',
  'charged',
  'seen',
];

console.log(
  `${cpus().length} processors, of which ${load.toFixed(1)} were busy before; attackers' priority: ${PRIORITY}`,
);
const startedAt = performance.now();
const chosen = ABUSES.filter(({ name, family }) => name.includes(ONLY) || family.includes(ONLY));
/** Estimated duration of the rounds already measured, and of one round of each abuse that has not begun. */
let estimatedMs = 0;
let unmeasuredMs = chosen.reduce((sum, abuse) => sum + estimateMs(abuse), 0);
const outcomes = [...(await runAll(false)), ...(await runAll(true))];
console.log(`\n${formatColumns([HEADER, ...outcomes.map(toRow)])}\n`);
conclude();

async function runAll(isSecure: boolean): Promise<readonly Outcome[]> {
  const abuses = chosen.filter(({ transport }) => (transport === 'TLS') === isSecure);
  if (abuses.length === 0) return [];
  const session = await Session.open({ isSecure, priority: PRIORITY, pace: 1, hasShortTimes: true });
  const results: Outcome[] = [];
  try {
    for (const abuse of abuses) results.push(await report(session, abuse));
  } finally {
    await session.close();
  }
  return results;
}

async function report(session: Session, abuse: Abuse): Promise<Outcome> {
  unmeasuredMs -= estimateMs(abuse);
  const hasTime = (): boolean => {
    const elapsedMs = performance.now() - startedAt;
    // Runs take longer than estimated on a busy machine, or where the service has to be restarted.
    const slowness = Math.max(1, elapsedMs / Math.max(1, estimatedMs));
    return elapsedMs + (unmeasuredMs + estimateMs(abuse)) * slowness < BUDGET_MS;
  };
  const outcome = await session.run(abuse, {
    aloneMs: ALONE_MS,
    attackMs: ATTACK_MS,
    maxRounds: MAX_ROUNDS,
    hasTime,
  });
  estimatedMs += estimateMs(abuse) * outcome.rounds;
  const uncertainty = findDoubt(outcome);
  const verdict =
    [...findShortfalls(outcome), ...(uncertainty === undefined ? [] : [uncertainty])].join('; ') || 'well';
  console.log(`${abuse.name} (${abuse.transport}): ${verdict}`);
  return outcome;
}

/** Estimated duration of one round. */
function estimateMs({ ms = ATTACK_MS }: Abuse): number {
  return ALONE_MS + ms + OVERHEAD_MS;
}

function toRow(outcome: Outcome): readonly string[] {
  const { abuse, p99, medians, charge } = outcome;
  return [
    `${findShortfalls(outcome).length > 0 ? '! ' : findDoubt(outcome) === undefined ? '  ' : '? '}${abuse.name}`,
    abuse.transport,
    p99.alone.toFixed(1),
    Number.isNaN(p99.plain) ? '' : p99.plain.toFixed(1),
    p99.beside.toFixed(1),
    p99.best.toFixed(1),
    (p99.beside / p99.alone).toFixed(1),
    `${medians.alone.toFixed(1)}-${medians.beside.toFixed(1)}`,
    outcome.worstLane,
    String(outcome.failed),
    toMiB(outcome.peakBytes),
    (outcome.recoveryMs / 1_000).toFixed(1),
    String(outcome.logLines),
    String(outcome.sent),
    charge.isCharged ? charge.text : `NO: ${charge.text}`,
    outcome.seen,
  ];
}

function conclude(): void {
  const checked = outcomes.filter(({ abuse }) => abuse.family !== 'control');
  const excess = ({ p99 }: Outcome): number => p99.beside / p99.limit;
  const worst = checked.reduce<Outcome | undefined>(
    (found, one) => (found === undefined || excess(one) > excess(found) ? one : found),
    undefined,
  );
  const count = (is: (outcome: Outcome) => boolean): number => checked.filter(is).length;
  const isShort = (outcome: Outcome): boolean => findShortfalls(outcome).length > 0;
  const isUncertain = (outcome: Outcome): boolean => findDoubt(outcome) !== undefined;
  listNames('falls short', checked.filter(isShort));
  listNames('not tested or not judged', checked.filter(isUncertain));
  concludeWith([
    { name: 'kinds', value: checked.length, digits: 0, ...(ONLY === '' && { atLeast: MIN_KINDS }) },
    {
      name: 'worst p99 ratio',
      value: worst === undefined ? Number.NaN : worst.p99.beside / worst.p99.alone,
      ...(worst !== undefined && { of: worst.abuse.name }),
    },
    { name: 'p99 too high', value: count(isTooSlow), digits: 0, below: 1 },
    { name: 'failed', value: checked.reduce((sum, { failed }) => sum + failed, 0), digits: 0, below: 1 },
    {
      name: 'peak RSS',
      value: Math.max(0, ...checked.map(({ peakBytes }) => Number(toMiB(peakBytes)))),
      unit: ' MiB',
      digits: 0,
      below: MAX_RESIDENT_MIB,
    },
    { name: 'not charged', value: count(({ charge }) => !charge.isCharged), digits: 0, below: 1 },
    {
      name: 'slowest recovery',
      value: Math.max(0, ...checked.map(({ recoveryMs }) => recoveryMs)) / 1_000,
      unit: ' s',
      below: 5,
    },
    {
      name: 'controls that fall short',
      value: outcomes.filter((outcome) => !checked.includes(outcome) && isShort(outcome)).length,
      digits: 0,
      below: 1,
    },
    { name: 'not tested or not judged', value: count(isUncertain), digits: 0, below: 1 },
    { name: 'kinds that fall short', value: count(isShort), digits: 0, below: 1 },
    {
      name: 'took',
      value: (performance.now() - startedAt) / 60_000,
      unit: ' min',
      digits: 1,
      ...(ONLY === '' && { below: MAX_MINUTES }),
    },
  ]);
}

function listNames(title: string, outcomes: readonly Outcome[]): void {
  if (outcomes.length > 0) console.log(`${title}: ${outcomes.map(({ abuse }) => abuse.name).join(', ')}`);
}
