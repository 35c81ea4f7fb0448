/** Between two reports about the same. */
const INTERVAL_MS = 60_000;

/** Passes on the first event of a kind at once, and then one report an interval with their number. */
export class OccasionalLog {
  readonly #write: (about: string, events: number) => void;
  readonly #now: () => number;
  readonly #written = new Map<string, { at: number; since: number }>();

  /** `now` is a monotonic clock in milliseconds. */
  constructor(write: (about: string, events: number) => void, now: () => number = () => performance.now()) {
    this.#write = write;
    this.#now = now;
  }

  /** @param about one of few texts, which are chosen by the program */
  report(about: string): void {
    const now = this.#now();
    const last = this.#written.get(about);
    if (last !== undefined && now - last.at < INTERVAL_MS) {
      last.since++;
      return;
    }
    this.#written.set(about, { at: now, since: 0 });
    this.#write(about, (last?.since ?? 0) + 1);
  }
}
