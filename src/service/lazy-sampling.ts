import type { CallRequest } from '../chain/requests.ts';
import { isComparable } from '../chains/local-execution/remote/sampled-calls.ts';
import type { CallSampler, LocalExecutions } from '../chains/upstream/local-executions.ts';
import type { ExecutionFigures } from '../observe/sources.ts';

type NodeAnswer = Parameters<CallSampler['noteAnswer']>[0];

/** Figures that are reported before the engine is loaded. */
const NOTHING: ExecutionFigures = {
  state: 'node',
  reason: 'as configured',
  executed: 0,
  roundTrips: 0,
  left: {},
  samples: { same: 0, refuted: 0, different: 0, unknown: 0 },
};

export type LazySamplingOptions = {
  /** Percentage of the nodes' answers that are compared with local executions. */
  readonly share: number;
  /** Loads the local executions with which answers are compared. */
  readonly open: () => Promise<LocalExecutions>;
  /** Called if loading fails; answers are then not compared. */
  readonly onFault: (error: unknown) => void;
};

/**
 * Compares samples of the calls that nodes answer with local executions. The first sample loads the engine, so a network without calls never loads
 * it.
 */
export class LazySampling implements LocalExecutions {
  readonly executesNone = true;
  readonly #options: LazySamplingOptions;
  #opening: Promise<void> | undefined;
  #opened: LocalExecutions | undefined;

  constructor(options: LazySamplingOptions) {
    this.#options = options;
  }

  execute(): undefined {
    return undefined;
  }

  noteHead(): void {}

  describe(): ExecutionFigures {
    return this.#opened?.describe() ?? NOTHING;
  }

  isSample(request: CallRequest): boolean {
    if (this.#opened !== undefined) return this.#opened.isSample?.(request) === true;
    return this.#opening === undefined && Math.random() * 100 < this.#options.share && isComparable(request);
  }

  noteAnswer(answer: NodeAnswer): void {
    this.#opened?.noteAnswer?.(answer);
    this.#opening ??= this.#open(answer);
  }

  async #open(first: NodeAnswer): Promise<void> {
    const { open, onFault } = this.#options;
    try {
      this.#opened = await open();
    } catch (error) {
      return onFault(error);
    }
    this.#opened.noteAnswer?.(first);
  }
}
