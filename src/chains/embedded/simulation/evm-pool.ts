import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import type { Evm } from '../../../../packages/evm/interpreter/evm.ts';
import type { StateReader } from '../../../../packages/evm/interpreter/host.ts';
import { createEvm } from '../../../engine/create-evm.ts';

/** Default maximum number of idle EVMs. Each idle EVM caches one state and decoded codes. */
const MAX_IDLE = 4;
/** Limit on the total memory of all idle EVMs, bytes. An EVM retains the memory that its largest call needed. */
const MAX_IDLE_BYTES: number = 32 << 20;

const NO_STATE: StateReader = {
  getAccount: () => undefined,
  getStorage: () => EMPTY_BYTES,
  getCode: () => EMPTY_BYTES,
};

/** An EVM, the state that it caches, and its memory when it was last released, bytes. */
export type PooledEvm = { readonly evm: Evm; state: StateReader; bytes: number };

/** EVMs of one thread. A call uses an EVM exclusively, preferably an EVM that caches the call's state. */
export class EvmPool {
  readonly #memoryLimit: number;
  readonly #maxIdle: number;
  /** Idle EVMs, least recently used first. */
  readonly #idle: PooledEvm[] = [];

  /**
   * @param memoryLimit bytes of memory that one execution may use
   * @param maxIdle maximum number of idle EVMs
   */
  constructor(memoryLimit: number, maxIdle: number = MAX_IDLE) {
    this.#memoryLimit = memoryLimit;
    this.#maxIdle = maxIdle;
  }

  /** Returns an EVM for an immutable state, if possible one that caches this state. The caller must release the EVM. */
  acquire(state: StateReader): PooledEvm {
    if (this.#idle.at(-1)?.state === state) return this.#idle.pop() as PooledEvm;
    const known = this.#idle.findLastIndex((entry) => entry.state === state);
    if (known < 0) return this.acquireFor(state);
    return this.#idle.splice(known, 1)[0] as PooledEvm;
  }

  /** Returns an EVM whose cached state is cleared, for a state that may be private to the caller. The caller must release the EVM. */
  acquireFor(state: StateReader): PooledEvm {
    const entry = this.#takeUnknown();
    if (entry === undefined) return this.#create(state);
    entry.evm.attach(state);
    entry.state = state;
    return entry;
  }

  /** Releases an EVM that was used on a private state and clears its cache; executions may still be open in the EVM. */
  releaseUnknown(entry: PooledEvm): void {
    entry.evm.record('nothing');
    entry.evm.attach(NO_STATE);
    entry.state = NO_STATE;
    this.release(entry);
  }

  /** Releases an EVM to the pool. No execution may be open in the EVM. Drops the least recently used EVMs beyond the limits. */
  release(entry: PooledEvm): void {
    const idle = this.#idle;
    idle.push(entry);
    entry.bytes = entry.evm.memoryPeak;
    let bytes = this.#idleBytes;
    while (bytes > MAX_IDLE_BYTES || idle.length > this.#maxIdle) bytes -= (idle.shift() as PooledEvm).bytes;
  }

  get #idleBytes(): number {
    return this.#idle.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Takes an idle EVM without cached state. If every idle EVM caches a state, returns undefined while the pool may grow; otherwise takes the least
   * recently used EVM.
   */
  #takeUnknown(): PooledEvm | undefined {
    const idle = this.#idle;
    const unknown = idle.findIndex((entry) => entry.state === NO_STATE);
    if (unknown >= 0) return idle.splice(unknown, 1)[0];
    const largest = idle.reduce((most, { bytes }) => Math.max(most, bytes), 0);
    const mayKeepMore = idle.length < this.#maxIdle && this.#idleBytes + largest <= MAX_IDLE_BYTES;
    return mayKeepMore ? undefined : idle.shift();
  }

  #create(state: StateReader): PooledEvm {
    const evm = createEvm(state, this.#memoryLimit);
    return { evm, state, bytes: evm.memoryPeak };
  }
}
