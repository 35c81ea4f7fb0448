import { CORE_LIMITS, STATUS, startOf } from './core-interface.ts';
import type { CoreMemory } from './core-memory.ts';
import type { CoreExports } from './core-module.ts';
import type { Precompile } from './precompiles/precompile.ts';
import type { Steps } from './precompiles/steps.ts';
import { LONG_STEP_GAS, PRECOMPILE_FACTOR, READ_GAS, WHOLE_SLICE } from './slice.ts';

/** Address in the core's memory of a message's input. */
const ARENA: number = startOf('arena');

/** A precompile that was started and has not finished. */
type Work = {
  readonly precompile: Precompile;
  readonly steps: Steps<Uint8Array | undefined>;
  readonly cost: number;
};

/** Runs the precompiles that a message calls, one at a time, long ones in steps. */
export class PrecompileRun {
  readonly #core: CoreExports;
  readonly #memory: CoreMemory;
  /** Size of the message's input, bytes. */
  #inputSize = 0;
  #isAtLongStep = false;
  #work: Work | undefined;
  #reason: string | undefined;
  #explanation: Steps<string> | undefined;

  constructor(core: CoreExports, memory: CoreMemory) {
    this.#core = core;
    this.#memory = memory;
  }

  /** Discards all work. Call `reset` when a message begins. */
  reset(inputSize: number): void {
    this.#inputSize = inputSize;
    this.#isAtLongStep = false;
    this.#work = undefined;
    this.#reason = undefined;
    this.#explanation = undefined;
  }

  /** Whether the core has requested a long precompile that is not started yet. */
  get isAtLongStep(): boolean {
    return this.#isAtLongStep;
  }

  /** Whether a precompile is started and unfinished; `workOn` continues it. */
  get isWorking(): boolean {
    return this.#work !== undefined;
  }

  /** Whether `explainOn` is still determining why the message's precompile failed. */
  get isExplaining(): boolean {
    return this.#explanation !== undefined;
  }

  /** Reason why the message's own precompile failed; undefined until the reason is known. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /**
   * Runs the precompile that the core requests. For a long precompile, the first call only sets `isAtLongStep`. The second call starts the
   * precompile, which then runs in steps.
   * @returns the gas that this work takes from the slice
   */
  request(active: ReadonlyMap<number, Precompile>, slice: bigint): bigint {
    const core = this.#core;
    const number = core.precompileNumber();
    const precompile = active.get(
      number === CORE_LIMITS.p256Number ? CORE_LIMITS.p256Address : number,
    ) as Precompile;
    const start = core.precompileInput();
    const input = this.#memory.bytes.subarray(start, start + core.precompileInputSize());
    const cost = precompile.gas(input);
    if (cost > Number.MAX_SAFE_INTEGER || BigInt(cost) > core.precompileGas()) {
      core.supplyPrecompile(STATUS.outOfGas, 0n, 0);
      return READ_GAS;
    }
    if (precompile.steps === undefined || cost <= LONG_STEP_GAS || slice === WHOLE_SLICE) {
      this.#supplyOutput(precompile, precompile.run(input), cost);
    } else {
      this.#isAtLongStep = !this.#isAtLongStep;
      if (!this.#isAtLongStep) this.#work = { precompile, steps: precompile.steps(input), cost };
    }
    return BigInt(cost) * PRECOMPILE_FACTOR;
  }

  /** Runs one step of the started precompile. @returns whether the step was the last */
  workOn(): boolean {
    const { precompile, steps, cost } = this.#work as Work;
    const { done, value } = steps.next();
    if (!done) return false;
    this.#work = undefined;
    this.#supplyOutput(precompile, value, cost);
    return true;
  }

  #supplyOutput(precompile: Precompile, output: Uint8Array | undefined, cost: number): void {
    const core = this.#core;
    if (output === undefined || output.length > core.returnDataCapacity()) {
      core.supplyPrecompile(STATUS.precompileFailed, 0n, 0);
      if (!core.isRunning()) this.#beginToExplain(precompile);
      return;
    }
    this.#memory.bytes.set(output, core.returnDataPointer());
    core.supplyPrecompile(STATUS.success, core.precompileGas() - BigInt(cost), output.length);
  }

  /**
   * Starts the explanation of a failure. Call this only for a message whose target is the precompile; the reasons of inner failures are not reported.
   */
  #beginToExplain({ explain }: Precompile): void {
    // The input is still in place, because the message ended without running any code.
    const explanation = explain?.(this.#memory.slice(ARENA, this.#inputSize));
    if (typeof explanation === 'string') this.#reason = explanation;
    else this.#explanation = explanation;
  }

  /** Runs one step of the explanation of the precompile's failure. @returns whether the step was the last */
  explainOn(): boolean {
    const { done, value } = (this.#explanation as Steps<string>).next();
    if (!done) return false;
    this.#reason = value;
    this.#explanation = undefined;
    return true;
  }
}
