/** Exit codes that shells report for a process that a signal ended: 128 plus the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof EXIT_CODES;
const SIGNALS = Object.keys(EXIT_CODES) as Signal[];

/** Handles signals that end the process: the first signal requests a stop, and a second one ends the process immediately. */
export class StopSignals {
  readonly #controller = new AbortController();
  #signal: Signal = 'SIGINT';

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  get stop(): AbortSignal {
    return this.#controller.signal;
  }

  get exitCode(): number {
    return EXIT_CODES[this.#signal];
  }

  /** Restores the default handling of signals. */
  close(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#onSignal);
  }

  #onSignal = (signal: Signal): void => {
    if (this.stop.aborted) process.exit(EXIT_CODES[signal]);
    this.#signal = signal;
    this.#controller.abort();
  };
}
