/** Something that may end while it waits. */
export type Waiter = { readonly aborted: boolean };

/** What waits for several turns at the same time. */
export type Group = {
  readonly turns: number;
  readonly waiter: Waiter;
  /** Until when it waits. */
  readonly until: number;
  readonly decide: (hasTurns: boolean) => void;
};

/** Groups that wait, by owner: the owners take turns, and those of one owner go in the order in which they came. */
export class GroupLine {
  /** Next owner first. */
  readonly #owners = new Map<string, Group[]>();

  get isEmpty(): boolean {
    return this.#owners.size === 0;
  }

  add(owner: string, group: Group): void {
    const groups = this.#owners.get(owner);
    if (groups === undefined) this.#owners.set(owner, [group]);
    else groups.push(group);
  }

  /** Takes the first group out for which there is room. */
  takeNext(
    hasRoom: (owner: string, turns: number) => boolean,
  ): { readonly owner: string; readonly group: Group } | undefined {
    for (const [owner, groups] of this.#owners) {
      const [group] = groups as [Group, ...Group[]];
      if (!hasRoom(owner, group.turns)) continue;
      groups.shift();
      // To the end of the line of owners.
      this.#owners.delete(owner);
      if (groups.length > 0) this.#owners.set(owner, groups);
      return { owner, group };
    }
    return undefined;
  }

  /** Ends the waiting of those that have gone, or have waited for long enough. */
  sweep(now: number): void {
    for (const [owner, groups] of this.#owners) {
      const kept = groups.filter(({ waiter, until }) => !waiter.aborted && now < until);
      if (kept.length === groups.length) continue;
      if (kept.length === 0) this.#owners.delete(owner);
      else this.#owners.set(owner, kept);
      for (const group of groups) if (!kept.includes(group)) group.decide(false);
    }
  }
}
