const RUNNING = 0;
const ENDING = 1;

/**
 * Native code of a thread during which the thread must not be terminated: LMDB's `open` throws into JavaScript, which cannot be done while a thread is being
 * terminated, and node then ends the process. Both sides of a thread have one, over the same memory.
 */
export class NativeSection {
  /** What the other side is made with. */
  readonly shared: SharedArrayBuffer;
  readonly #flags: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#flags = new Int32Array(shared);
  }

  /** On the thread. @throws Error where the thread is to be terminated, with nothing of the work begun; and what the work throws */
  run<T>(work: () => T): T {
    // Each side says what it is about to do before it looks at the other.
    Atomics.store(this.#flags, RUNNING, 1);
    try {
      if (Atomics.load(this.#flags, ENDING) === 1) throw new Error('the thread is being terminated');
      return work();
    } finally {
      Atomics.store(this.#flags, RUNNING, 0);
    }
  }

  /** On the side that terminates: nothing is begun from now on. @returns whether something is still running */
  close(): boolean {
    Atomics.store(this.#flags, ENDING, 1);
    return Atomics.load(this.#flags, RUNNING) === 1;
  }
}
