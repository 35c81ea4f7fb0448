import type { Evm } from '../../evm/evm.ts';
import type { CallBytes } from '../../primitives/call-bytes.ts';
import { SLICE_GAS } from './execution.ts';
import type { StateAt } from './simulator.ts';

/** For calls that are run ahead of their turn, milliseconds: what a small call may have for itself. */
const AHEAD_MS = 0.25;
const FIRST_COUNT = 4;
const MAX_PAUSE = 63;
const SLICE: number = Number(SLICE_GAS);

/** Where plain calls run, and with how much gas at most. */
export type PlainPlace = StateAt & { readonly gasLimit: number };

/** The gas that a call has for execution itself; undefined where it is for a run of its own to say whether it can begin. */
export type GasForExecution = (call: CallBytes, gasLimit: number) => number | undefined;

/**
 * Calls of a batch that were run with the one before them, ahead of their turn: beginning a call costs more than most calls do. Only answers
 * are kept, in the order of the calls; whatever else a call comes to, it is run again in its turn.
 */
export class CallsAhead {
  #calls: readonly CallBytes[] = [];
  #place: PlainPlace | undefined;
  /** Outputs as hex digits, and where each ends in them. */
  #digits = '';
  readonly #ends: number[] = [];
  /** The first one that has not been taken. */
  #next = 0;
  /** How many are to be tried the next time; fewer where not all had an answer. */
  #attempted = FIRST_COUNT;
  /** Calls behind which none is tried, since the last one that was had no answer, and how many those will be. */
  #pause = 0;
  #pauseLength = 0;

  /** Calls that the last run has answered. */
  get count(): number {
    return this.#ends.length;
  }

  /** The return data of a call that was run ahead at that place. */
  take(call: CallBytes, place: PlainPlace): string | undefined {
    const at = this.#calls.indexOf(call, this.#next);
    if (at < 0 || !isSame(place, this.#place)) return undefined;
    const digits = this.#digits.slice(at === 0 ? 0 : this.#ends[at - 1], this.#ends[at]);
    if (at + 1 === this.#calls.length) this.#forget();
    else this.#next = at + 1;
    return `0x${digits}`;
  }

  /**
   * Runs calls that follow one in its batch, on the same state. Nothing may be open.
   * @returns the gas that the answered ones used, data included
   */
  run(evm: Evm, { following, block }: CallBytes, place: PlainPlace, gasFor: GasForExecution): number {
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
    let given = 0;
    for (let n = 0; n < count; n++) given += limits[n] as number;
    return given - gasLeft;
  }

  #plan(answered: number, attempted: number): void {
    const wasEnough = answered === attempted;
    this.#attempted = wasEnough ? Math.max(this.#attempted, 2 * attempted) : answered + 1;
    this.#pauseLength = answered > 0 ? 0 : Math.min(2 * this.#pauseLength + 1, MAX_PAUSE);
    this.#pause = this.#pauseLength;
  }

  /** Lets go of the batch. */
  #forget(): void {
    this.#calls = [];
    this.#digits = '';
    this.#next = 0;
  }
}

function isSame(place: PlainPlace, other: PlainPlace | undefined): boolean {
  return (
    place === other ||
    (place.blockNumber === other?.blockNumber &&
      place.isPending === other.isPending &&
      place.gasLimit === other.gasLimit)
  );
}
