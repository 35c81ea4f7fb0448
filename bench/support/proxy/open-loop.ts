/** Rows at fixed rates: latency counts from the moment at which a request was due, so that waiting behind a pause counts too. */
import { median } from '../../load.ts';
import { formatColumns } from '../figures.ts';
import { type PacedResult, runPacedLoad } from '../paced-load.ts';
import { type Goal, OTHER, OURS } from './goals.ts';
import { type Measured, medianOf, ROUNDS } from './measure.ts';
import { planLoad, type Row } from './rows.ts';
import type { Subject } from './subject.ts';

const OPEN_MS = Number(process.env['OPEN_MS'] ?? 5_000);
const CONNECTIONS = 32;
/** Cap on requests a second, by the names of rows over HTTP. */
const RATES: Readonly<Record<string, number>> = {
  'different calls': 8_000,
  'receipts, 21 kB': 6_000,
  'batch of 20': 300,
};
/** Share of the slowest peer's throughput in the closed loop; at higher rates the bench would measure the peer's queue. */
const SHARE_OF_PEER = 0.5;
const FIGURES = ['p50', 'p99', 'p999', 'longest'] as const;
/** Figures with a goal. */
const JUDGED = ['p99', 'p999'] as const;

type Latency = (typeof FIGURES)[number];
type OpenRow = {
  readonly row: Row;
  readonly perSecond: number;
  /** Rounds by server name. */
  readonly results: ReadonlyMap<string, PacedResult[]>;
};

/** Chooses a rate that every other server of the row can carry. */
function chooseRate({ row, samples }: Measured): number {
  const peers = [...samples].filter(([name]) => name !== OURS && name !== OTHER);
  const slowest = Math.min(...peers.map(([, rounds]) => medianOf(rounds, 'perSecond')));
  return Math.floor(Math.min(RATES[row.name] ?? 0, SHARE_OF_PEER * slowest));
}

/** Interleaves all servers in each round, in alternating order; the first round warms up. Rows without a rate are left out. */
export async function measureOpenLoop(
  subjects: readonly Subject[],
  measured: readonly Measured[],
): Promise<readonly OpenRow[]> {
  const rows = measured
    .filter(({ row }) => RATES[row.name] !== undefined)
    .map((each): OpenRow => {
      const results = new Map([...each.samples.keys()].map((name) => [name, [] as PacedResult[]]));
      return { row: each.row, perSecond: chooseRate(each), results };
    });
  for (let round = 0; round <= ROUNDS; round++) {
    const ordered = round % 2 === 0 ? subjects : [...subjects].reverse();
    for (const { row, perSecond, results } of rows) {
      for (const subject of ordered) {
        const target = subject.targetOf(row);
        const rounds = results.get(subject.name);
        if (target === undefined || rounds === undefined) continue;
        const { request } = planLoad({ ...row, connections: CONNECTIONS }, target, OPEN_MS);
        const result = await runPacedLoad({
          ...target,
          requests: request instanceof Uint8Array ? [request] : request,
          connections: CONNECTIONS,
          perSecond,
          durationMs: OPEN_MS,
        });
        if (round > 0) rounds.push(result);
      }
    }
  }
  return rows;
}

const medianLatency = (rounds: readonly PacedResult[], figure: Latency): number =>
  median(rounds.map((result) => result[figure]));

/** Returns the median of the rounds' ratios of this program to a peer, or to the best of several. */
function ratioTo(
  { results }: OpenRow,
  peers: readonly string[],
  figure: Exclude<Latency, 'longest'>,
): number {
  const ours = results.get(OURS) ?? [];
  return median(
    ours.map((result, round) => {
      const theirs = peers.flatMap((name) => results.get(name)?.[round]?.[figure] ?? []);
      return theirs.length === 0 ? Number.NaN : result[figure] / Math.min(...theirs);
    }),
  );
}

/** Formats a line for each server in each row, and one of ratios for each other server. */
export function formatOpenLoop(rows: readonly OpenRow[]): string {
  const lines = rows.flatMap((open) => {
    const { row, perSecond, results } = open;
    return [...results].flatMap(([name, rounds]) => {
      const failed = rounds.reduce((sum, result) => sum + result.failed, 0);
      const begin = [row.name, String(perSecond)];
      const figures = FIGURES.map((figure) => medianLatency(rounds, figure).toFixed(2));
      const own = [...begin, name, ...figures, String(failed)];
      if (name === OURS) return [own];
      const ratios = (['p50', 'p99', 'p999'] as const).map((figure) =>
        ratioTo(open, [name], figure).toFixed(2),
      );
      return [own, [...begin, `${OURS} / ${name}`, ...ratios]];
    });
  });
  const header = ['open loop', 'per s', 'server', 'p50 ms', 'p99 ms', 'p999 ms', 'longest', 'failed'];
  return formatColumns([header, ...lines]);
}

/** Returns the goals for p99 and p999 relative to the best peer, and for failed requests. */
export function judgeOpenLoop(rows: readonly OpenRow[]): readonly Goal[] {
  return rows.flatMap((open) => {
    const { row, results } = open;
    const peers = [...results.keys()].filter((name) => name !== OURS && name !== OTHER);
    const failed = (results.get(OURS) ?? []).reduce((sum, result) => sum + result.failed, 0);
    return [
      ...JUDGED.map((figure) => ({
        name: `${row.name} at a fixed rate, ${figure} to the best peer's`,
        value: ratioTo(open, peers, figure),
        atMost: 1,
      })),
      { name: `${row.name} at a fixed rate, failed`, value: failed, atMost: 0 },
    ];
  });
}
