/**
 * Nodes that send far more data than requested, or data without a request, beside a neighbour on another network of the shipped program.
 * `npm run check -- hostile-nodes` draws cases in which every pair of request, content, delivery, size, number of nodes and transport
 * occurs; `PORTCULLIS_LONG=1` runs the whole product, which takes hours. The last line has figures; exits with 1 when a case fails.
 * `ONLY=text` runs cases whose name contains the text, `BATCH=1` each case alone, `SEED` draws others.
 */
import { concludeWith } from '../../bench/support/figures.ts';
import { FACTORS, type HostileCase, isPossible, nameCase } from './cases.ts';
import { drawPairwise, listProduct } from './covering-array.ts';
import { MAX_PIECE_MS, MAX_RESIDENT_BYTES, runMatrix } from './matrix-run.ts';
import { Session } from './session.ts';

const MiB = 1024 * 1024;
const SEED = Number(process.env['SEED'] ?? 1);
const ONLY = process.env['ONLY'] ?? '';
const BATCH = Number(process.env['BATCH'] ?? 12);
const isLong = process.env['PORTCULLIS_LONG'] === '1';
/** Budget of the form in `check hostile-nodes`: batches that fail later are not split. */
const BUDGET_MS = Number(process.env['BUDGET_MS'] ?? (isLong ? Number.POSITIVE_INFINITY : 150_000));
const MAX_MINUTES = 4;

const rows: readonly HostileCase[] = (
  isLong ? listProduct(FACTORS, isPossible) : drawPairwise(FACTORS, isPossible, SEED)
).filter((row) => nameCase(row).includes(ONLY));
const startedAt = performance.now();
const session = await Session.open(true);
try {
  const options = {
    batch: BATCH,
    budgetMs: BUDGET_MS,
    isTimed: true,
    report: (line: string) => console.log(line),
  };
  const { cases, worstRatio, peakBytes, longestPiece, failures, notJudged } = await runMatrix(
    session,
    rows,
    options,
  );
  concludeWith([
    { name: 'hostile nodes: cases', value: cases, digits: 0, atLeast: rows.length },
    { name: "neighbour's worst p99 ratio", value: worstRatio },
    { name: 'peak RSS', value: peakBytes / MiB, unit: ' MiB', digits: 0, below: MAX_RESIDENT_BYTES / MiB },
    { name: 'longest piece', value: longestPiece, unit: ' ms', digits: 0, below: MAX_PIECE_MS },
    { name: 'failures', value: failures.length, digits: 0, below: 1 },
    { name: 'batches whose p99 was not judged', value: notJudged, digits: 0 },
    {
      name: 'took',
      value: (performance.now() - startedAt) / 60_000,
      unit: ' min',
      ...(ONLY === '' && !isLong && { below: MAX_MINUTES }),
    },
  ]);
} finally {
  await session.close();
}
