import { formatColumns } from '../figures.ts';
import { OTHER, OURS } from './goals.ts';
import { type Figure, isStable, type Measured, medianOf, ratioOf, type Sample, spreadOf } from './measure.ts';

const HEADER = [
  'row',
  'server',
  'req/s',
  'CPU ms',
  'spread',
  'x nginx',
  'x bare',
  'p50 ms',
  'p99 ms',
  'RSS MB',
  'node requests',
  'node calls',
];
const UNSTABLE = '~';

/** Formats a line for each server in each row; `~` marks unstable figures. */
export function formatTable(measured: readonly Measured[]): string {
  const lines = measured.flatMap(({ row, samples }) =>
    [...samples].map(([name, rounds]) => {
      const show = (figure: Figure, digits: number): string =>
        `${isStable(rounds, figure) ? '' : UNSTABLE}${medianOf(rounds, figure).toFixed(digits)}`;
      return [
        row.name,
        name,
        show('perSecond', 0),
        show('cpu', 4),
        `${(100 * spreadOf(rounds, 'cpu')).toFixed(0)} %`,
        compare(name, 'nginx', samples),
        compare(name, 'bare', samples),
        show('p50', 2),
        show('p99', 2),
        medianOf(rounds, 'resident').toFixed(0),
        medianOf(rounds, 'nodeRequests').toFixed(3),
        medianOf(rounds, 'nodeItems').toFixed(3),
      ];
    }),
  );
  return `${formatColumns([HEADER, ...lines])}\n${UNSTABLE} not stable: the quartiles are more than 20 % apart`;
}

function compare(name: string, base: string, samples: Measured['samples']): string {
  const ratio = name === base ? Number.NaN : ratioOf(samples.get(name), samples.get(base), 'cpu');
  return Number.isNaN(ratio) ? '' : ratio.toFixed(2);
}

/**
 * Formats the ratios of this version's CPU, throughput, p99 and resident memory to the other's, medians of the rounds' ratios. Undefined without
 * another version.
 */
export function formatVersions(measured: readonly Measured[]): string | undefined {
  const lines = measured.flatMap(({ row, samples }) => {
    const [ours, theirs] = [samples.get(OURS), samples.get(OTHER)];
    if (ours === undefined || theirs === undefined) return [];
    const show = (figure: keyof Sample): string => ratioOf(ours, theirs, figure).toFixed(3);
    const isMarked = !isStable(ours, 'cpu') || !isStable(theirs, 'cpu');
    return [
      [
        row.name,
        `${isMarked ? UNSTABLE : ''}${show('cpu')}`,
        show('perSecond'),
        show('p99'),
        show('resident'),
      ],
    ];
  });
  if (lines.length === 0) return undefined;
  return formatColumns([['this version / other version', 'CPU', 'req/s', 'p99', 'RSS'], ...lines]);
}
