/** Object whose `beat` is called once per interval. */
interface Beating {
  beat(): void;
}

/** Maximum number of groups of members. Checking thousands of members at once would block the event loop for tens of milliseconds. */
const MAX_GROUPS = 32;
const MIN_TICK_MS = 50;

/** Checks each member once per interval; the members are divided into groups that are checked one after the other. */
export class Heartbeat {
  readonly #groups: readonly Set<Beating>[];
  readonly #timer: NodeJS.Timeout;
  #turn = 0;

  constructor(intervalMs: number) {
    const groups = Math.max(1, Math.min(MAX_GROUPS, Math.floor(intervalMs / MIN_TICK_MS)));
    this.#groups = Array.from({ length: groups }, () => new Set<Beating>());
    this.#timer = setInterval(() => this.#tick(), intervalMs / groups);
    this.#timer.unref();
  }

  /** Adds a member. The first check comes within one interval, and each later check one interval after the previous one. */
  add(member: Beating): void {
    const smallest = this.#groups.reduce((least, group) => (group.size < least.size ? group : least));
    smallest.add(member);
  }

  delete(member: Beating): void {
    for (const group of this.#groups) if (group.delete(member)) return;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const group = this.#groups[this.#turn];
    this.#turn = (this.#turn + 1) % this.#groups.length;
    if (group !== undefined) for (const member of group) member.beat();
  }
}
