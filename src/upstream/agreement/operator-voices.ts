import type { BlockPosition } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';

/** What is read of a node to know what it says of a block. */
export type Speaker = Pick<Upstream, 'operator' | 'standing' | 'isAway' | 'isSuspected' | 'identity'> & {
  readonly tracker: Pick<Upstream['tracker'], 'latest' | 'safe' | 'finalized' | 'hashAt'>;
};

/**
 * Counts how many of the configured operators have a block. Only a node that is in service now and has reported the very hash at the height
 * speaks for its operator; silence says nothing, and never makes the number that is needed smaller. Where nodes of one operator report different
 * blocks, the one that most of them report is its word; in a tie it has none.
 */
export class OperatorVoices<S extends Speaker = Upstream> {
  /** How many operators must say the same. */
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

  /** Configured operators. */
  get total(): number {
    return this.#operators.length;
  }

  /** Configured operators, each with its nodes. */
  get operators(): readonly (readonly S[])[] {
    return this.#operators;
  }

  /** Operators of which a node is in service and has reported a block. */
  get speaking(): number {
    return this.#operators.filter((nodes) =>
      nodes.some((node) => isInService(node) && node.tracker.latest !== undefined),
    ).length;
  }

  /** Operators that have a block. */
  count({ number, hash }: BlockPosition): number {
    if (hash === undefined) return 0;
    let count = 0;
    for (const nodes of this.#operators) if (says(nodes, number, hash)) count++;
    return count;
  }

  /** Whether as many operators as are needed have a block. */
  has(position: BlockPosition): boolean {
    return this.count(position) >= this.needed;
  }

  /** Nodes in service that reach the height of a block and have not reported which one they have there. */
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

function isInService({ standing, isAway, isSuspected }: Speaker): boolean {
  return standing === 'verified' && !isAway && !isSuspected;
}

function says(nodes: readonly Speaker[], number: bigint, hash: string): boolean {
  let balance = 0;
  for (const node of nodes) {
    const word = isInService(node) ? wordOf(node, number) : undefined;
    if (word !== undefined) balance += word === hash ? 1 : -1;
  }
  return balance > 0;
}

/** The hash of a height by a node's report. */
function wordOf({ tracker, identity }: Speaker, number: bigint): string | undefined {
  const { safe, finalized } = tracker;
  const known = tracker.hashAt(number);
  if (known !== undefined) return known;
  if (finalized?.number === number) return finalized.hash;
  if (safe?.number === number) return safe.hash;
  return number === 0n ? identity?.genesisHash : undefined;
}
