import type { Upstream } from '../../../pool/upstream.ts';
import type { BlockPosition } from '../../../pool/upstream-request.ts';

/** Members of a node that contain the blocks which the node has reported. */
export type Speaker = Pick<
  Upstream,
  'operator' | 'standing' | 'isAway' | 'isOutOfUse' | 'hasMismatch' | 'identity'
> & {
  readonly tracker: Pick<Upstream['tracker'], 'latest' | 'safe' | 'finalized' | 'hashAt'>;
};

/**
 * Counts how many configured operators report a block. Only nodes in service that have reported a hash at this height count for their operator. An
 * operator whose nodes have not reported a block still counts in the total, so the required number stays the same. If nodes of one operator report
 * different blocks, the operator reports the block of more than half of these nodes, or no block.
 */
export class OperatorVoices<S extends Speaker = Upstream> {
  /** Number of operators that must report the same block. */
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

  /** Returns the number of operators that report a block. */
  count({ number, hash }: BlockPosition): number {
    if (hash === undefined) return 0;
    let count = 0;
    for (const nodes of this.#operators) if (says(nodes, number, hash)) count++;
    return count;
  }

  /** Returns whether at least `needed` operators report a block. */
  has(position: BlockPosition): boolean {
    return this.count(position) >= this.needed;
  }

  /** Returns the nodes in service that have reached the height of a block but have not reported their block at this height. */
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

function isInService({ standing, isAway, isOutOfUse, hasMismatch }: Speaker): boolean {
  return standing === 'verified' && !isAway && !isOutOfUse && !hasMismatch;
}

function says(nodes: readonly Speaker[], number: bigint, hash: string): boolean {
  let balance = 0;
  for (const node of nodes) {
    const word = isInService(node) ? wordOf(node, number) : undefined;
    if (word !== undefined) balance += word === hash ? 1 : -1;
  }
  return balance > 0;
}

/** Returns the hash of the block that a node has reported at a height; undefined if the node has reported none. */
function wordOf({ tracker, identity }: Speaker, number: bigint): string | undefined {
  const { safe, finalized } = tracker;
  const known = tracker.hashAt(number);
  if (known !== undefined) return known;
  if (finalized?.number === number) return finalized.hash;
  if (safe?.number === number) return safe.hash;
  return number === 0n ? identity?.genesisHash : undefined;
}
