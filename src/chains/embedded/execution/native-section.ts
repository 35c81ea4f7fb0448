const RUNNING = 0;
const ENDING = 1;

/**
 * Guards native code: the thread must not be terminated while this code runs. LMDB's `open` reports errors as JavaScript exceptions. While a thread
 * is being terminated, LMDB cannot throw an exception, and Node.js aborts the process. The guarded thread and the thread that terminates it have
 * instances over the same memory.
 */
export class NativeSection {
  /** Memory from which the other thread creates its own `NativeSection`. */
  readonly shared: SharedArrayBuffer;
  readonly #flags: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#flags = new Int32Array(shared);
  }

  /** Runs `work` on the thread. @throws Error, before `work` begins, when the thread is being terminated; also the errors of `work` */
  run<T>(work: () => T): T {
    // Each thread sets its own flag before it reads the flag of the other thread. At least one of them therefore sees that both flags are set.
    Atomics.store(this.#flags, RUNNING, 1);
    try {
      if (Atomics.load(this.#flags, ENDING) === 1) throw new Error('the thread is being terminated');
      return work();
    } finally {
      Atomics.store(this.#flags, RUNNING, 0);
    }
  }

  /**
   * Prevents that the guarded thread begins further work. Called by the thread that wants to terminate the guarded thread.
   * @returns whether work is still running
   */
  close(): boolean {
    Atomics.store(this.#flags, ENDING, 1);
    return Atomics.load(this.#flags, RUNNING) === 1;
  }
}
