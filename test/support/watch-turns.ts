/** Holds the thread for about as long. */
export function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

export type TurnWatch = {
  /** Counts one piece of work. */
  readonly note: () => void;
  /** @returns the most pieces of work between two turns of the event loop */
  readonly end: () => number;
};

/** Counts pieces of work in each turn of the event loop. */
export function watchTurns(): TurnWatch {
  let [now, most] = [0, 0];
  let isOver = false;
  const next = (): void => {
    now = 0;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return {
    note: () => {
      most = Math.max(most, ++now);
    },
    end: () => {
      isOver = true;
      return most;
    },
  };
}
