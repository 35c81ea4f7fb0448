/** The time for which lines are counted, milliseconds. */
const INTERVAL_MS = 60_000;
/** Kinds that are limited apart; further ones count as one. */
const MAX_KINDS = 256;
/** Owners of one kind that are limited apart; further ones count as one. */
const MAX_OWNERS = 1_024;
/** One owner alone may have this part of a kind's lines, rounded down, and always one. */
const OWNER_SHARE = 0.1;
const OTHERS = 'others';

type Owner = { lines: number; leftOut: number };

type Kind = {
  since: number;
  lines: number;
  readonly owners: Map<string, Owner>;
  /** Left out of owners that are not remembered any more. */
  leftOut: number;
};

/**
 * Bounds how many lines a log gets: of each kind so many a minute, of each owner of a kind a tenth of them. Each line
 * says how many like it were left out before it.
 */
export class OccasionalLog {
  readonly #lines: number;
  readonly #ownerLines: number;
  readonly #now: () => number;
  readonly #kinds = new Map<string, Kind>();

  /**
   * @param lines of one kind in a minute, at least 1
   * @param now a monotonic clock in milliseconds
   */
  constructor(lines: number, now: () => number = () => performance.now()) {
    this.#lines = lines;
    this.#ownerLines = Math.max(1, Math.floor(lines * OWNER_SHARE));
    this.#now = now;
  }

  /**
   * @param kind what happened, in words that the program chose
   * @param owner what it is about: a node, a key, an address
   * @returns how many such events were left out since the last line, or undefined where this one is to be left out
   */
  admit(kind: string, owner = ''): number | undefined {
    const found = this.#findKind(kind);
    const own = findOwner(found, owner);
    if (found.lines >= this.#lines || own.lines >= this.#ownerLines) {
      own.leftOut++;
      return undefined;
    }
    found.lines++;
    own.lines++;
    const leftOut = own.leftOut + found.leftOut;
    own.leftOut = 0;
    found.leftOut = 0;
    return leftOut;
  }

  #findKind(kind: string): Kind {
    const now = this.#now();
    const name = this.#kinds.has(kind) || this.#kinds.size < MAX_KINDS ? kind : OTHERS;
    const known = this.#kinds.get(name);
    if (known === undefined) {
      const created: Kind = { since: now, lines: 0, owners: new Map(), leftOut: 0 };
      this.#kinds.set(name, created);
      return created;
    }
    if (now - known.since >= INTERVAL_MS) beginInterval(known, now);
    return known;
  }
}

/** Owners without omitted entries are forgotten; all of them, where they are as many as may be. */
function beginInterval(kind: Kind, now: number): void {
  kind.since = now;
  kind.lines = 0;
  const isFull = kind.owners.size >= MAX_OWNERS;
  for (const [name, owner] of kind.owners) {
    owner.lines = 0;
    if (isFull) kind.leftOut += owner.leftOut;
    if (isFull || owner.leftOut === 0) kind.owners.delete(name);
  }
}

function findOwner({ owners }: Kind, owner: string): Owner {
  const name = owners.has(owner) || owners.size < MAX_OWNERS ? owner : OTHERS;
  let found = owners.get(name);
  if (found === undefined) {
    found = { lines: 0, leftOut: 0 };
    owners.set(name, found);
  }
  return found;
}
