import type { CallBytes } from '../../../../packages/ethereum/primitives/call-bytes.ts';
import type { Evm } from '../../../../packages/evm/interpreter/evm.ts';
import { SLICE_GAS } from './execution.ts';
import type { StateAt } from './simulator.ts';

/** Maximum time that the calls run ahead in one slice may take, milliseconds. */
const AHEAD_MS = 0.25;
const FIRST_COUNT = 4;
const MAX_PAUSE = 63;
const SLICE: number = Number(SLICE_GAS);

/** State of fast path calls, and the gas cap of each of them. */
export type FastPathContext = StateAt & { readonly gasLimit: number };

/**
 * Returns the gas that is left for a call after its intrinsic gas. Returns undefined if the gas limit may be below the intrinsic gas; the call must
 * then run separately.
 */
export type GasForExecution = (call: CallBytes, gasLimit: number) => number | undefined;

/**
 * Runs the next calls of a batch right after the current one in the same EVM, because starting a call takes longer than executing most calls. The
 * results are cached up to the first call that does not succeed. This call runs again when its turn comes.
 */
export class CallsAhead {
  #calls: readonly CallBytes[] = [];
  #place: FastPathContext | undefined;
  /** Outputs of all cached calls as concatenated hex digits; `#ends` contains the end offset of each output. */
  #digits = '';
  readonly #ends: number[] = [];
  /** Index of the next cached result that `take` returns. */
  #next = 0;
  /** Maximum number of calls in the next run; lower after a run in which not all calls succeeded in time. */
  #attempted = FIRST_COUNT;
  /** Number of further `run` calls that do nothing. A run in which no call succeeds sets this number to `#pauseLength`. */
  #pause = 0;
  #pauseLength = 0;

  /** Number of calls that the last run executed successfully. */
  get count(): number {
    return this.#ends.length;
  }

  /** Returns the cached output of a call as hex; undefined if the call did not run ahead on this state. */
  take(call: CallBytes, place: FastPathContext): string | undefined {
    const at = this.#calls.indexOf(call, this.#next);
    if (at < 0 || !isSame(place, this.#place)) return undefined;
    const digits = this.#digits.slice(at === 0 ? 0 : this.#ends[at - 1], this.#ends[at]);
    if (at + 1 === this.#calls.length) this.#forget();
    else this.#next = at + 1;
    return `0x${digits}`;
  }

  /**
   * Runs the calls that follow a call in its batch, on the same state. No execution may be open in the EVM.
   * @returns total gas used by the successful calls, including their intrinsic gas
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

  /** Drops the cached calls and their results. */
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
