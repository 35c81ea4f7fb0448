import type { Chain } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { Logger } from '../observe/logger.ts';
import { type Compare, type Comparison, isExpected } from '../rollup/estimate/comparison.ts';
import { RequestScope } from '../util/request-scope.ts';

/** Time limit for the nodes' replies in one comparison, ms. */
const LIMIT_MS = 10_000;
/** Maximum number of attempts to complete a comparison. */
const MAX_ATTEMPTS = 3;

type Progress = { attempts: number; isRunning: boolean; isDone: boolean };

/** Comparisons of this process by chain and family; they continue after a reload. */
const PROGRESS = new WeakMap<Chain, Map<string, Progress>>();

export type ComparisonParts = { readonly network: string; readonly chain: Chain; readonly log: Logger };

/**
 * Compares the first estimate that a network gets from the nodes' own method with the fallback of the rollup family. No request waits for the
 * comparison. Its only effect is a log line.
 */
export class EstimateComparisons {
  readonly #parts: ComparisonParts;
  #scope: RequestScope | undefined;
  #isClosed = false;

  constructor(parts: ComparisonParts) {
    this.#parts = parts;
  }

  /** Starts the comparison of an estimate, unless a comparison is running or done. */
  note(family: string, compare: Compare): void {
    const progress = this.#findProgress(family);
    if (this.#isClosed || progress.isRunning || progress.isDone) return;
    void this.#run(family, compare, progress);
  }

  close(): void {
    this.#isClosed = true;
    this.#scope?.abort();
  }

  async #run(family: string, compare: Compare, progress: Progress): Promise<void> {
    const { network, log } = this.#parts;
    progress.isRunning = true;
    progress.attempts++;
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    this.#scope = scope;
    try {
      const comparison = await compare(scope);
      progress.isDone = true;
      if (comparison === undefined)
        log.debug({ network, family }, 'native estimate has no fallback to compare');
      else this.#log(family, comparison);
    } catch (error) {
      progress.isDone = progress.attempts >= MAX_ATTEMPTS;
      // Error texts of nodes may quote the call, so only the kind of the error is logged.
      const reason = error instanceof ChainError ? error.kind : String(Object(error).name);
      const level = error instanceof ChainError ? 'debug' : 'error';
      log[level](
        { network, family, reason, attempts: progress.attempts },
        'native estimate was not compared',
      );
    } finally {
      progress.isRunning = false;
      this.#scope = undefined;
    }
  }

  #log(family: string, comparison: Comparison): void {
    const { network, log } = this.#parts;
    const { what, native, fallback, least, most } = comparison;
    const line = {
      network,
      family,
      what,
      native: { ...native, value: String(native.value) },
      fallback: { ...fallback, value: String(fallback.value) },
      least: String(least),
      most: String(most),
    };
    if (isExpected(comparison)) log.debug(line, 'native estimate agrees with the fallback');
    else log.warn(line, 'native estimate differs from the fallback by more than docs/rollups.md allows');
  }

  #findProgress(family: string): Progress {
    const { chain } = this.#parts;
    const ofChain = PROGRESS.get(chain) ?? new Map<string, Progress>();
    PROGRESS.set(chain, ofChain);
    const progress = ofChain.get(family) ?? { attempts: 0, isRunning: false, isDone: false };
    ofChain.set(family, progress);
    return progress;
  }
}
