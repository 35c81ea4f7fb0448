/** Blocks the thread for about `ms` milliseconds. */
export function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

export type TurnWatch = {
  /** Counts one unit of work. */
  readonly note: () => void;
  /** @returns the largest count in one turn of the event loop */
  readonly end: () => number;
};

/** Counts units of work per turn of the event loop. */
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
