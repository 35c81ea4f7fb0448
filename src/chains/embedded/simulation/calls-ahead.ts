import type { CallBytes } from '../../../../packages/ethereum/primitives/call-bytes.ts';
import type { Evm } from '../../../../packages/evm/interpreter/evm.ts';
import { SLICE_GAS } from './execution.ts';
import type { StateAt } from './simulator.ts';

/** Time budget for calls that run ahead, milliseconds: as much as a small call may use. */
const AHEAD_MS = 0.25;
const FIRST_COUNT = 4;
const MAX_PAUSE = 63;
const SLICE: number = Number(SLICE_GAS);

/** State and maximum gas of fast path calls. */
export type FastPathContext = StateAt & { readonly gasLimit: number };

/** Returns the gas left for execution; undefined if only a separate run can determine whether the call can begin. */
export type GasForExecution = (call: CallBytes, gasLimit: number) => number | undefined;

/**
 * Runs following calls of a batch together with the current one, because starting a call costs more than most calls do. Only successful results are
 * cached, in the order of the calls. A call with any other outcome runs again when its turn comes.
 */
export class CallsAhead {
  #calls: readonly CallBytes[] = [];
  #place: FastPathContext | undefined;
  /** Outputs of all calls as hex digits; `#ends` has the end offset of each. */
  #digits = '';
  readonly #ends: number[] = [];
  /** Index of the first result that has not been taken. */
  #next = 0;
  /** Number of calls to attempt in the next run; reduced after a run in which some calls failed. */
  #attempted = FIRST_COUNT;
  /** Number of calls for which nothing is run ahead, after a run ahead without any result; `#pauseLength` is the initial value. */
  #pause = 0;
  #pauseLength = 0;

  /** Number of calls that the last run executed successfully. */
  get count(): number {
    return this.#ends.length;
  }

  /** Returns the output of a call that ran ahead on the same state; otherwise undefined. */
  take(call: CallBytes, place: FastPathContext): string | undefined {
    const at = this.#calls.indexOf(call, this.#next);
    if (at < 0 || !isSame(place, this.#place)) return undefined;
    const digits = this.#digits.slice(at === 0 ? 0 : this.#ends[at - 1], this.#ends[at]);
    if (at + 1 === this.#calls.length) this.#forget();
    else this.#next = at + 1;
    return `0x${digits}`;
  }

  /**
   * Runs the calls that follow `call` in its batch, on the same state. No execution may be open.
   * @returns the gas that the successful calls used, including the gas for data
   */
  run(evm: Evm, { following, block }: CallBytes, place: FastPathContext, gasFor: GasForExecution): number {
    this.#forget();
    this.#ends.length = 0;
    if (this.#pause > 0) {
      this.#pause--;
      return 0;
    }
    const { calls: table } = evm;
    const calls: CallBytes[] = [];
    const limits: number[] = [];
    table.clear();
    for (
      let call = following;
      call?.block === block && calls.length < this.#attempted;
      call = call.following
    ) {
      const gasLimit = Math.min(call.gas, place.gasLimit);
      const gas = gasFor(call, gasLimit);
      if (gas === undefined || !table.add(call, gas)) break;
      calls.push(call);
      limits.push(gasLimit);
    }
    if (calls.length === 0) return 0;
    const endsAt = performance.now() + AHEAD_MS;
    const { count, gasLeft } = table.run(SLICE, () => performance.now() < endsAt);
    this.#plan(count, calls.length);
    this.#digits = table.readOutputs(count, this.#ends);
    calls.length = count;
    this.#calls = calls;
    this.#place = place;
    let provided = 0;
    for (let n = 0; n < count; n++) provided += limits[n] as number;
    return provided - gasLeft;
  }

  #plan(answered: number, attempted: number): void {
    const wasEnough = answered === attempted;
    this.#attempted = wasEnough ? Math.max(this.#attempted, 2 * attempted) : answered + 1;
    this.#pauseLength = answered > 0 ? 0 : Math.min(2 * this.#pauseLength + 1, MAX_PAUSE);
    this.#pause = this.#pauseLength;
  }

  /** Drops the calls and their results. */
  #forget(): void {
    this.#calls = [];
    this.#digits = '';
    this.#next = 0;
  }
}

function isSame(place: FastPathContext, other: FastPathContext | undefined): boolean {
  return (
    place === other ||
    (place.blockNumber === other?.blockNumber &&
      place.isPending === other.isPending &&
      place.gasLimit === other.gasLimit)
  );
}
