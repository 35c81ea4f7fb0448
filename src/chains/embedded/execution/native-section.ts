const RUNNING = 0;
const ENDING = 1;

/**
 * Guards native code during which the thread must not be terminated: LMDB's `open` throws into JavaScript, which is impossible while a thread is
 * being terminated, and node then aborts the process. Both sides of a thread have an instance over the same memory.
 */
export class NativeSection {
  /** Memory from which the other side creates its instance. */
  readonly shared: SharedArrayBuffer;
  readonly #flags: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#flags = new Int32Array(shared);
  }

  /** Runs `work` on the thread. @throws Error when the thread is being terminated, before `work` begins; and whatever `work` throws */
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

  /** Called by the terminating side: prevents further work. @returns whether work is still running */
  close(): boolean {
    Atomics.store(this.#flags, ENDING, 1);
    return Atomics.load(this.#flags, RUNNING) === 1;
  }
}
