import type { Logger } from '../observe/logger.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Exit codes that shells report for a process ended by SIGINT or SIGTERM: 128 plus the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs `close` at the first SIGINT or SIGTERM and resolves to the exit code: 0, or 1 if `close` failed. A second signal ends the process immediately.
 */
export function closeOnSignal(close: () => Promise<void>, log: Logger): Promise<number> {
  return new Promise((resolve) => {
    let stopping = false;
    const onSignal = (signal: (typeof SIGNALS)[number]): void => {
      if (stopping) process.exit(EXIT_CODES[signal]);
      stopping = true;
      log.info({ signal }, 'stopping');
      close().then(
        () => resolve(0),
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed');
          resolve(1);
        },
      );
    };
    for (const signal of SIGNALS) process.on(signal, onSignal);
  });
}
