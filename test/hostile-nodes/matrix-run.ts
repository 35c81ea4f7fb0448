/** Runs cases in batches, and splits a failing batch to find the failing case. */
import { isWithin, type P99 } from '../abuse/measure/rounds.ts';
import { findDelivery, type HostileCase } from './cases.ts';
import { readMemoryBound } from './measure/budgets.ts';
import { findHostileQuestion } from './questions.ts';
import type { BatchOutcome, Session } from './session.ts';

/** Processor time of the main thread, milliseconds. */
export const MAX_PIECE_MS = 20;
/** Number of measurements of the same cases that must have a high p99 for it to count. */
const MAJORITY = 2;
export const MAX_RESIDENT_BYTES: number = readMemoryBound();

export type MatrixOptions = {
  /** Number of concurrent cases. */
  readonly batch: number;
  /** Milliseconds from the start after which no batch is repeated or split: its cases fail together. */
  readonly budgetMs: number;
  /** False omits latencies, main-thread pieces and memory, which a busy machine would distort. */
  readonly isTimed: boolean;
  report(line: string): void;
};

export type MatrixFigures = {
  readonly cases: number;
  readonly worstRatio: number;
  readonly peakBytes: number;
  readonly longestPiece: number;
  /** One line per failing case or batch. */
  readonly failures: readonly string[];
  /** Batches without a valid latency measurement because other programs used the processors. */
  readonly notJudged: number;
};

export async function runMatrix(
  session: Session,
  rows: readonly HostileCase[],
  options: MatrixOptions,
): Promise<MatrixFigures> {
  const run = new MatrixRun(session, options);
  for (const batch of planBatches(rows, options.batch)) await run.runBatch(batch);
  return run.finish();
}

/** Splits cases into batches. Cases that wait need little processor time, and wait together. */
function planBatches(rows: readonly HostileCase[], size: number): readonly (readonly HostileCase[])[] {
  const [slow, quick] = separate(rows, ({ delivery }) => findDelivery(delivery).isSlow === true);
  const [own, requested] = separate(quick, isOfService);
  const [late, early] = separate(own, ({ request }) => findHostileQuestion(request).isLate === true);
  const [slowOwn, slowAsked] = separate(slow, isOfService);
  return [
    // Opening several networks at the same time takes much main-thread time by itself.
    ...split(early, Math.ceil((size * 2) / 3)),
    ...split(late, size),
    ...split(requested, size),
    ...split(slowOwn, size),
    ...split(slowAsked, size * 3),
  ];
}

function isOfService({ request }: HostileCase): boolean {
  const { ask, place } = findHostileQuestion(request);
  return ask === undefined && place === undefined;
}

/** @returns rows with the property, and rows without */
function separate(
  rows: readonly HostileCase[],
  has: (row: HostileCase) => boolean,
): [readonly HostileCase[], readonly HostileCase[]] {
  return [rows.filter(has), rows.filter((row) => !has(row))];
}

function split(rows: readonly HostileCase[], size: number): readonly (readonly HostileCase[])[] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
}

class MatrixRun {
  readonly #session: Session;
  readonly #options: MatrixOptions;
  readonly #until: number;
  #cases = 0;
  #worstRatio = 0;
  #peakBytes = 0;
  #longestPiece = 0;
  #notJudged = 0;
  readonly #failures: string[] = [];

  constructor(session: Session, options: MatrixOptions) {
    this.#session = session;
    this.#options = options;
    this.#until = performance.now() + options.budgetMs;
  }

  async finish(): Promise<MatrixFigures> {
    if (!(await this.#session.endProgram()))
      this.#fail('SIGTERM did not end the program after the last batch');
    return {
      cases: this.#cases,
      worstRatio: this.#worstRatio,
      peakBytes: this.#peakBytes,
      longestPiece: this.#longestPiece,
      failures: this.#failures,
      notJudged: this.#notJudged,
    };
  }

  async runBatch(rows: readonly HostileCase[]): Promise<void> {
    let outcome = await this.#session.run(rows, rows.length === 1);
    const isUncertain = ({ p99 }: BatchOutcome): boolean =>
      this.#options.isTimed && !p99.isCalm && !isWithin(p99);
    if (isUncertain(outcome) && performance.now() < this.#until)
      outcome = await this.#session.run(rows, false);
    outcome = await this.#confirm(outcome, rows);
    const shared = this.#findShared(outcome);
    if (shared.length > 0 && rows.length > 1 && performance.now() < this.#until) {
      // Cases together may exceed a limit that none exceeds alone.
      this.#options.report(`${rows.length} cases, taken apart: ${shared.join('; ')}`);
      const half = Math.ceil(rows.length / 2);
      await this.runBatch(rows.slice(0, half));
      await this.runBatch(rows.slice(half));
      return;
    }
    if (isUncertain(outcome)) this.#notJudged++;
    this.#note(outcome, this.#findShared(outcome));
  }

  /** Repeats a measurement: the p99 of some hundred answers is the latency of a few, so a high one counts if two of three measurements have it. */
  async #confirm(first: BatchOutcome, rows: readonly HostileCase[]): Promise<BatchOutcome> {
    const isOnlySlow = (one: BatchOutcome): boolean =>
      this.#isSlow(one) &&
      this.#findShared(one).length === 1 &&
      one.cases.every(({ faults }) => faults.length === 0);
    if (!isOnlySlow(first)) return first;
    const outcomes = [first];
    const count = (isSlow: boolean): number => outcomes.filter((one) => this.#isSlow(one) === isSlow).length;
    let last = first;
    while (count(true) < MAJORITY && count(false) < MAJORITY && performance.now() < this.#until) {
      last = await this.#session.run(rows, rows.length === 1);
      outcomes.push(last);
      // Any other failure counts at its first occurrence.
      if (this.#isSlow(last) && !isOnlySlow(last)) break;
    }
    return last;
  }

  #isSlow({ p99 }: BatchOutcome): boolean {
    return this.#options.isTimed && p99.isCalm && !isWithin(p99);
  }

  /** Lists failures of the whole process, which no single case accounts for. */
  #findShared(outcome: BatchOutcome): readonly string[] {
    const { p99, peakBytes, longestPiece, hasEnded, failed, failures } = outcome;
    const found: string[] = [];
    if (!hasEnded) found.push('SIGTERM did not end it');
    if (failed > 0) found.push(`the neighbour failed ${failed} times: ${failures.slice(0, 100)}`);
    if (!this.#options.isTimed) return found;
    if (this.#isSlow(outcome)) found.push(`neighbour p99 ${describeP99(p99)}`);
    if (longestPiece > MAX_PIECE_MS) found.push(`a piece of ${longestPiece.toFixed(0)} ms`);
    if (peakBytes > MAX_RESIDENT_BYTES) found.push(`${toMegabytes(peakBytes)} MiB`);
    return found;
  }

  #note(outcome: BatchOutcome, shared: readonly string[]): void {
    const { cases, p99, peakBytes, longestPiece } = outcome;
    this.#cases += cases.length;
    if (p99.isCalm) this.#worstRatio = Math.max(this.#worstRatio, p99.beside / p99.alone);
    this.#peakBytes = Math.max(this.#peakBytes, peakBytes);
    this.#longestPiece = Math.max(this.#longestPiece, longestPiece);
    for (const { name, faults } of cases) {
      const all = cases.length === 1 ? [...faults, ...shared] : faults;
      if (all.length > 0) this.#fail(`${name}: ${all.join('; ')}`);
    }
    if (cases.length > 1 && shared.length > 0)
      this.#fail(
        `${cases.length} cases together: ${shared.join('; ')}\n    ${cases.map(({ name }) => name).join('\n    ')}`,
      );
    this.#options.report(
      `${cases.length} cases: p99 ${describeP99(p99)}, ${toMegabytes(peakBytes)} MiB, piece ${longestPiece.toFixed(0)} ms`,
    );
  }

  #fail(line: string): void {
    this.#failures.push(line);
    this.#options.report(`! ${line}`);
  }
}

function describeP99({ alone, beside, isCalm, foreign }: P99): string {
  const noise = isCalm ? '' : ` (others used ${foreign.toFixed(1)} processors)`;
  return `${beside.toFixed(1)} ms, alone ${alone.toFixed(1)}${noise}`;
}

function toMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
