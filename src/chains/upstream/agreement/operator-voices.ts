import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition } from '../../../pool/upstream-request.ts';

/** Fields of a node that determine which block it reports. */
export type Speaker = Pick<Upstream, 'operator' | 'standing' | 'isAway' | 'hasMismatch' | 'identity'> & {
  readonly tracker: Pick<Upstream['tracker'], 'latest' | 'safe' | 'finalized' | 'hashAt'>;
};

/**
 * Counts how many of the configured operators have a block. Only a node that is in service and has reported this hash at the height counts for its
 * operator. A node without a report does not count, and never lowers the required number. If nodes of one operator report different blocks, the
 * operator has the block that more than half of them report; in a tie it has none.
 */
export class OperatorVoices<S extends Speaker = Upstream> {
  /** Number of operators that must have the same block. */
  readonly needed: number;
  readonly #operators: readonly (readonly S[])[];

  constructor(upstreams: readonly S[], needed: number) {
    this.needed = needed;
    const operators = new Map<string, S[]>();
    for (const upstream of upstreams) {
      const nodes = operators.get(upstream.operator);
      if (nodes === undefined) operators.set(upstream.operator, [upstream]);
      else nodes.push(upstream);
    }
    this.#operators = [...operators.values()];
  }

  /** Number of configured operators. */
  get total(): number {
    return this.#operators.length;
  }

  /** Nodes of each configured operator. */
  get operators(): readonly (readonly S[])[] {
    return this.#operators;
  }

  /** Number of operators with a node in service that has reported a block. */
  get speaking(): number {
    return this.#operators.filter((nodes) =>
      nodes.some((node) => isInService(node) && node.tracker.latest !== undefined),
    ).length;
  }

  /** Number of operators that have a block. */
  count({ number, hash }: BlockPosition): number {
    if (hash === undefined) return 0;
    let count = 0;
    for (const nodes of this.#operators) if (says(nodes, number, hash)) count++;
    return count;
  }

  /** Returns whether at least the required number of operators have a block. */
  has(position: BlockPosition): boolean {
    return this.count(position) >= this.needed;
  }

  /** Nodes in service whose head reaches the height of a block and that have not reported their block at that height. */
  listSilent({ number }: BlockPosition): S[] {
    return this.#operators.flat().filter((node) => {
      const { latest } = node.tracker;
      return (
        isInService(node) &&
        latest !== undefined &&
        latest.number >= number &&
        wordOf(node, number) === undefined
      );
    });
  }
}

function isInService({ standing, isAway, hasMismatch }: Speaker): boolean {
  return standing === 'verified' && !isAway && !hasMismatch;
}

function says(nodes: readonly Speaker[], number: bigint, hash: string): boolean {
  let balance = 0;
  for (const node of nodes) {
    const word = isInService(node) ? wordOf(node, number) : undefined;
    if (word !== undefined) balance += word === hash ? 1 : -1;
  }
  return balance > 0;
}

/** Returns the hash that a node reports at a height. */
function wordOf({ tracker, identity }: Speaker, number: bigint): string | undefined {
  const { safe, finalized } = tracker;
  const known = tracker.hashAt(number);
  if (known !== undefined) return known;
  if (finalized?.number === number) return finalized.hash;
  if (safe?.number === number) return safe.hash;
  return number === 0n ? identity?.genesisHash : undefined;
}
