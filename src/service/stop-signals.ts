/** Exit codes that shells report for a process ended by a signal: 128 plus its number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof EXIT_CODES;
const SIGNALS = Object.keys(EXIT_CODES) as Signal[];

/** The first signal requests a stop; a second one ends the process at once. */
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
