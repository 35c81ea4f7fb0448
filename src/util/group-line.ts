/** Waiter that may be aborted. */
export type Waiter = { readonly aborted: boolean };

/** Request for several slots at once. */
export type Group = {
  readonly slots: number;
  readonly waiter: Waiter;
  /** Time until which the group may wait. */
  readonly until: number;
  readonly decide: (hasSlots: boolean) => void;
};

/** Waiting groups by owner. Owners alternate, and the groups of one owner are served in order of arrival. */
export class GroupLine {
  /** Groups by owner. The owners are in the order in which they are served. */
  readonly #owners = new Map<string, Group[]>();

  get isEmpty(): boolean {
    return this.#owners.size === 0;
  }

  add(owner: string, group: Group): void {
    const groups = this.#owners.get(owner);
    if (groups === undefined) this.#owners.set(owner, [group]);
    else groups.push(group);
  }

  /** Removes and returns the first group whose owner has room for it. Only the first group of each owner is considered. */
  takeNext(
    hasRoom: (owner: string, slots: number) => boolean,
  ): { readonly owner: string; readonly group: Group } | undefined {
    for (const [owner, groups] of this.#owners) {
      const [group] = groups as [Group, ...Group[]];
      if (!hasRoom(owner, group.slots)) continue;
      groups.shift();
      // A served owner goes to the end of the line of owners.
      this.#owners.delete(owner);
      if (groups.length > 0) this.#owners.set(owner, groups);
      return { owner, group };
    }
    return undefined;
  }

  /** Rejects groups that are aborted, or have waited for the maximum time. */
  sweep(now: number): void {
    for (const [owner, groups] of this.#owners) {
      const remaining = groups.filter(({ waiter, until }) => !waiter.aborted && now < until);
      if (remaining.length === groups.length) continue;
      if (remaining.length === 0) this.#owners.delete(owner);
      else this.#owners.set(owner, remaining);
      for (const group of groups) if (!remaining.includes(group)) group.decide(false);
    }
  }
}
