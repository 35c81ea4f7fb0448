/** Lets a message through once an interval, with the number of those since the last one. */
export class SeldomLog {
  readonly #intervalMs: number;
  readonly #write: (times: number) => void;
  readonly #now: () => number;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #times = 0;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(
    intervalMs: number,
    write: (times: number) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#intervalMs = intervalMs;
    this.#write = write;
    this.#now = now;
  }

  note(): void {
    this.#times++;
    if (this.#now() - this.#writtenAt < this.#intervalMs) return;
    this.#writtenAt = this.#now();
    this.#write(this.#times);
    this.#times = 0;
  }
}
