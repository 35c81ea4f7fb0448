import { ADDRESS_LENGTH } from '../../ethereum/primitives/address.ts';
import { encodeHex } from '../../ethereum/primitives/byte-loops.ts';
import type { CallBytes } from '../../ethereum/primitives/call-bytes.ts';
import { CALL_ENTRY, CORE_REGIONS, RUN, startOf } from './core-interface.ts';
import type { CoreMemory } from './core-memory.ts';
import type { CoreExports } from './core-module.ts';
import { StateLimitError, type WorldState } from './world-state.ts';

const TABLE: number = startOf('callTable');
const BYTES: number = startOf('callBytes');
const OUTPUTS: number = startOf('callOutputs');
const BYTES_END: number = CORE_REGIONS.get('callBytes')?.end ?? BYTES;

/** Maximum number of calls in a table. */
export const MAX_CALLS: number = ((CORE_REGIONS.get('callTable')?.end ?? TABLE) - TABLE) / CALL_ENTRY.size;

/** Result of a table: the number of successful calls before the first omitted one. */
export type AnsweredCalls = {
  readonly count: number;
  /** Total gas that remained after the successful calls. */
  readonly gasLeft: number;
};

/**
 * Runs many simple calls (`CallBytes`) in one invocation of the core. Each call runs on the same state and is undone at its end. The first call that
 * does not succeed within a slice is omitted, and so are all calls after it. The caller executes omitted calls separately.
 */
export class CallTable {
  readonly #core: CoreExports;
  readonly #memory: CoreMemory;
  readonly #state: WorldState;
  readonly #calls: CallBytes[] = [];
  /** Range of `bytes` that the added calls occupy. */
  #low = 0;
  #high = 0;

  constructor(core: CoreExports, memory: CoreMemory, state: WorldState) {
    this.#core = core;
    this.#memory = memory;
    this.#state = state;
  }

  /** Starts a new table. */
  clear(): void {
    this.#calls.length = 0;
    this.#low = Number.POSITIVE_INFINITY;
    this.#high = 0;
  }

  /**
   * Adds a call. All calls of a table must share the same `bytes`.
   * @param gasLimit gas for execution, an integer
   * @returns false when the table has no room for the call
   */
  add(call: CallBytes, gasLimit: number): boolean {
    const { from, to, data, dataLength } = call;
    const low = Math.min(this.#low, from, to, data);
    const high = Math.max(this.#high, from + ADDRESS_LENGTH, to + ADDRESS_LENGTH, data + dataLength);
    if (this.#calls.length === MAX_CALLS || high - low > BYTES_END - BYTES) return false;
    this.#low = low;
    this.#high = high;
    const entry = TABLE + CALL_ENTRY.size * (this.#calls.push(call) - 1);
    this.#memory.view.setFloat64(entry + CALL_ENTRY.gas, gasLimit, true);
    return true;
  }

  /**
   * Runs the calls until one is omitted.
   * @param slice maximum gas per invocation of the core
   * @param hasTime returns whether another invocation of the core may follow
   */
  run(slice: number, hasTime: () => boolean): AnsweredCalls {
    this.#write();
    const core = this.#core;
    const total = this.#calls.length;
    let gasLeft = 0;
    let count = 0;
    let goesOn = count < total;
    while (goesOn) {
      const reached = core.runCalls(count, total, slice);
      gasLeft += core.gasLeftOfCalls();
      const isFurther = reached > count;
      count = reached;
      goesOn = count < total && this.#goesOn(core.callsStop(), isFurther) && hasTime();
    }
    return { count, gasLeft };
  }

  /**
   * Supplies the data that the core requested.
   * @returns true if the call at which the core stopped may restart, because its data is available or a new slice begins
   */
  #goesOn(reason: number, isFurther: boolean): boolean {
    if (reason === RUN.sliceUsed) return isFurther;
    try {
      if (reason === RUN.needsAccount) this.#state.supplyAccount();
      else if (reason === RUN.needsSlot) this.#state.supplySlot();
      else if (reason === RUN.needsCode) this.#state.supplyRequestedCode();
      else return false;
      return true;
    } catch (error) {
      if (error instanceof StateLimitError) return false;
      throw error;
    }
  }

  /** Returns the concatenated outputs of the first `count` calls as hex digits. @param ends receives the end offset of each output, in hex digits */
  readOutputs(count: number, ends: number[]): string {
    const { bytes, view } = this.#memory;
    let end = OUTPUTS;
    ends.length = count;
    for (let n = 0; n < count; n++) {
      end += view.getUint32(TABLE + CALL_ENTRY.size * n + CALL_ENTRY.outputSize, true);
      ends[n] = 2 * (end - OUTPUTS);
    }
    return encodeHex(bytes, OUTPUTS, end);
  }

  #write(): void {
    const { bytes, view } = this.#memory;
    const [first] = this.#calls;
    if (first === undefined) return;
    const offset = BYTES - this.#low;
    bytes.set(first.bytes.subarray(this.#low, this.#high), BYTES);
    let entry = TABLE;
    for (const { from, to, data, dataLength } of this.#calls) {
      view.setUint32(entry + CALL_ENTRY.from, from + offset, true);
      view.setUint32(entry + CALL_ENTRY.to, to + offset, true);
      view.setUint32(entry + CALL_ENTRY.data, data + offset, true);
      view.setUint32(entry + CALL_ENTRY.dataSize, dataLength, true);
      entry += CALL_ENTRY.size;
    }
  }
}
