import { median, percentile, runLoad } from '../../load.ts';
import { readThreadSeconds } from '../cpu.ts';
import { readResidentMegabytes } from '../memory.ts';
import type { Nodes } from './nodes.ts';
import { planLoad, type Row, type Target } from './rows.ts';
import type { Subject } from './subject.ts';

/** Rounds after one warm-up round. */
export const ROUNDS: number = Number(process.env['ROUNDS'] ?? 5);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 1_500);
/** A figure is stable while its interquartile range is at most this share of its median. */
const STABLE_SPREAD = 0.2;
const MS = 1_000;

/** Figures of one round of a server. */
export type Sample = {
  readonly perSecond: number;
  /** CPU milliseconds of the server per request. */
  readonly cpu: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** HTTP requests or WebSocket messages at the nodes per request, and the calls in them. */
  readonly nodeRequests: number;
  readonly nodeItems: number;
  /** Resident megabytes after the round. */
  readonly resident: number;
};

export type Figure = keyof Sample;

/** Samples of a row's rounds by server name; a server that failed has none. */
export type Measured = { readonly row: Row; readonly samples: ReadonlyMap<string, readonly Sample[]> };

export async function measureRound(
  subject: Subject,
  row: Row,
  target: Target,
  nodes: Nodes,
): Promise<Sample> {
  const plan = planLoad(row, target, ROUND_MS);
  const [countsBefore, cpuBefore] = [await nodes.readCounts(), readThreadSeconds(subject.pid)];
  const { requests, seconds, latencies } = await runLoad(plan);
  const [counts, cpu] = [await nodes.readCounts(), readThreadSeconds(subject.pid)];
  return {
    perSecond: requests / seconds,
    cpu: (MS * (cpu - cpuBefore)) / requests,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    nodeRequests: (counts.requests - countsBefore.requests) / requests,
    nodeItems: (counts.items - countsBefore.items) / requests,
    resident: readResidentMegabytes(subject.pid),
  };
}

/**
 * Runs all rows in each round and all servers in each row, in alternating order; the first round warms up. A server that fails in a row is left out
 * of it.
 */
export async function measureRows(
  subjects: readonly Subject[],
  rows: readonly Row[],
  nodes: Nodes,
): Promise<readonly Measured[]> {
  const measured = rows.map((row) => {
    const served = subjects.filter((subject) => subject.targetOf(row) !== undefined);
    return { row, samples: new Map(served.map(({ name }) => [name, [] as Sample[]])) };
  });
  for (let round = 0; round <= ROUNDS; round++) {
    const ordered = round % 2 === 0 ? subjects : [...subjects].reverse();
    for (const { row, samples } of measured) {
      for (const subject of ordered.filter(({ name }) => samples.has(name))) {
        try {
          const sample = await measureRound(subject, row, subject.targetOf(row) as Target, nodes);
          if (round > 0) samples.get(subject.name)?.push(sample);
        } catch (error) {
          if (!nodes.areUp) throw error;
          console.error(`${row.name}, ${subject.name}: ${(error as Error).message}`);
          samples.delete(subject.name);
        }
      }
    }
  }
  return measured;
}

/** Returns the median of a figure; NaN where it was not measured. */
export function medianOf(samples: readonly Sample[] | undefined, figure: Figure): number {
  return median((samples ?? []).map((sample) => sample[figure]));
}

/** Returns the median of the rounds' ratios; NaN where one side was not measured. */
export function ratioOf(
  first: readonly Sample[] | undefined,
  second: readonly Sample[] | undefined,
  figure: Figure,
): number {
  if (first === undefined || second === undefined) return Number.NaN;
  return median(first.map((sample, round) => sample[figure] / (second[round]?.[figure] ?? Number.NaN)));
}

/** Returns the interquartile range of a figure as a share of its median. */
export function spreadOf(samples: readonly Sample[], figure: Figure): number {
  const ascending = samples.map((sample) => sample[figure]).sort((a, b) => a - b);
  return (quantile(ascending, 0.75) - quantile(ascending, 0.25)) / median(ascending);
}

export function isStable(samples: readonly Sample[], figure: Figure): boolean {
  return !(spreadOf(samples, figure) > STABLE_SPREAD);
}

/** Interpolates linearly between two values. */
function quantile(ascending: readonly number[], share: number): number {
  const at = share * (ascending.length - 1);
  const [low, high] = [ascending[Math.floor(at)] ?? Number.NaN, ascending[Math.ceil(at)] ?? Number.NaN];
  return low + (high - low) * (at - Math.floor(at));
}
