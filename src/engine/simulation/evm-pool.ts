import type { Evm } from '../../evm/evm.ts';
import type { StateReader } from '../../evm/host.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { createEvm } from '../create-evm.ts';

/** EVMs that are kept for the next calls; each remembers one state and the codes that it has decoded. */
const MAX_IDLE = 4;
/** Bytes that they may take together. An EVM keeps the room that its largest call needed. */
const MAX_IDLE_BYTES: number = 32 << 20;

const NO_STATE: StateReader = {
  getAccount: () => undefined,
  getStorage: () => EMPTY_BYTES,
  getCode: () => EMPTY_BYTES,
};

/** An EVM with the state that it remembers, and the bytes that it took when it was idle last. */
export type PooledEvm = { readonly evm: Evm; state: StateReader; bytes: number };

/** EVMs of one thread. A call has one for itself; it gets one that knows its state where there is one. */
export class EvmPool {
  readonly #memoryLimit: number;
  readonly #maxIdle: number;
  /** The one used last comes last. */
  readonly #idle: PooledEvm[] = [];

  /**
   * @param memoryLimit bytes of memory that one execution may have
   * @param maxIdle EVMs that are kept
   */
  constructor(memoryLimit: number, maxIdle: number = MAX_IDLE) {
    this.#memoryLimit = memoryLimit;
    this.#maxIdle = maxIdle;
  }

  /** An EVM on a state that never changes. It must be released. */
  acquire(state: StateReader): PooledEvm {
    if (this.#idle.at(-1)?.state === state) return this.#idle.pop() as PooledEvm;
    const known = this.#idle.findLastIndex((entry) => entry.state === state);
    if (known < 0) return this.acquireFor(state);
    return this.#idle.splice(known, 1)[0] as PooledEvm;
  }

  /** An EVM that knows nothing of a state, which may be the caller's own. It must be released. */
  acquireFor(state: StateReader): PooledEvm {
    const entry = this.#takeUnknown();
    if (entry === undefined) return this.#create(state);
    entry.evm.attach(state);
    entry.state = state;
    return entry;
  }

  /** Takes back an EVM that was on a caller's own state, whatever is open in it. */
  releaseUnknown(entry: PooledEvm): void {
    entry.evm.record('nothing');
    entry.evm.attach(NO_STATE);
    entry.state = NO_STATE;
    this.release(entry);
  }

  /** Nothing may be open in it. */
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

  /** One that remembers no state; otherwise none while one more may be kept, and then the one that was used longest ago. */
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
