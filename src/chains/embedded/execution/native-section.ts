const RUNNING = 0;
const ENDING = 1;

/**
 * Guards native code during which the thread must not be terminated. LMDB's `open` throws into JavaScript; during termination this is impossible, and
 * node aborts the process. Both threads have an instance over the same memory.
 */
export class NativeSection {
  /** Memory from which the other thread creates its instance. */
  readonly shared: SharedArrayBuffer;
  readonly #flags: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#flags = new Int32Array(shared);
  }

  /** Runs `work` on the thread. @throws Error, before `work` begins, when the thread is being terminated; also the errors of `work` */
  run<T>(work: () => T): T {
    // Each side announces its intention before it reads the other side's flag.
    Atomics.store(this.#flags, RUNNING, 1);
    try {
      if (Atomics.load(this.#flags, ENDING) === 1) throw new Error('the thread is being terminated');
      return work();
    } finally {
      Atomics.store(this.#flags, RUNNING, 0);
    }
  }

  /** Called by the terminating thread: prevents further work. @returns whether work is still running */
  close(): boolean {
    Atomics.store(this.#flags, ENDING, 1);
    return Atomics.load(this.#flags, RUNNING) === 1;
  }
}
