/** Period over which lines are counted, milliseconds. */
const INTERVAL_MS = 60_000;
/** Maximum kinds that are limited separately. All further kinds count as one. */
const MAX_KINDS = 256;
/** Maximum owners per kind that are limited separately. All further owners count as one. */
const MAX_OWNERS = 1_024;
/** Part of the lines of a kind that one owner may log. The number of lines is rounded down, but is at least one. */
const OWNER_SHARE = 0.1;
const OTHERS = 'others';

type Owner = { lines: number; leftOut: number };

type Kind = {
  since: number;
  lines: number;
  readonly owners: Map<string, Owner>;
  /** Number of suppressed lines of owners that have been dropped from `owners`. */
  leftOut: number;
};

/**
 * Rate limit of log lines: a number of lines per kind and minute, and a tenth of that number per owner of a kind. `admit` reports how many similar lines were
 * suppressed before an admitted line.
 */
export class OccasionalLog {
  readonly #lines: number;
  readonly #ownerLines: number;
  readonly #now: () => number;
  readonly #kinds = new Map<string, Kind>();

  /**
   * @param lines lines of one kind per minute, at least 1
   * @param now a monotonic clock in milliseconds
   */
  constructor(lines: number, now: () => number = () => performance.now()) {
    this.#lines = lines;
    this.#ownerLines = Math.max(1, Math.floor(lines * OWNER_SHARE));
    this.#now = now;
  }

  /**
   * Decides whether a line is logged.
   * @param kind the event, in words that the program chooses
   * @param owner subject of the event: a node, a key, an address
   * @returns the number of lines that were suppressed since the last logged line: lines of this kind and owner, and lines of this kind of dropped
   * owners; undefined to suppress this line
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

/**
 * Begins a new counting period of a kind. Owners without suppressed lines are dropped. If the maximum of owners is reached, all owners are dropped.
 */
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
