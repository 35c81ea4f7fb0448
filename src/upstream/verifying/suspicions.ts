import { Lru } from '../../util/lru.ts';
import type { Finding, Subject } from '../../verification/findings.ts';
import type { Upstream } from '../upstream.ts';

/** Answers of the last time that a block refutes, by block and subject: about 200 bytes each. */
const MAX_SUSPICIONS = 1_024;
const SUSPICION_MS = 600_000;

/** A node's answer that its block refutes. */
export type Suspicion = { readonly upstream: Upstream; readonly finding: Finding };

/**
 * Answers that contradict their block, until it is known whether the node or what is known here of the chain's rules is at fault: a node is wrong
 * when another one gives an answer about the same that is right.
 */
export class Suspicions {
  readonly #held = new Lru<string, Map<Upstream, Finding>>(MAX_SUSPICIONS, SUSPICION_MS);

  add(blockHash: string, upstream: Upstream, finding: Finding): void {
    const name = `${blockHash}:${finding.subject}`;
    const held = this.#held.get(name) ?? new Map<Upstream, Finding>();
    held.set(upstream, finding);
    this.#held.set(name, held);
  }

  /** How many other nodes have said the same of a block. */
  countOthers(blockHash: string, upstream: Upstream, { subject, evidence }: Finding): number {
    const held = this.#held.get(`${blockHash}:${subject}`) ?? new Map<Upstream, Finding>();
    return [...held].filter(([other, finding]) => other !== upstream && finding.evidence === evidence).length;
  }

  /** What nodes have said of a subject of a block. */
  listOpinions(blockHash: string, subject: string): ReadonlyMap<Upstream, Finding> {
    return this.#held.get(`${blockHash}:${subject}`) ?? new Map<Upstream, Finding>();
  }

  /** Takes out the nodes that were wrong about a subject of a block, of which a right answer has come. */
  settle(blockHash: string, subject: Subject): readonly Suspicion[] {
    if (this.#held.size === 0) return [];
    const name = `${blockHash}:${subject}`;
    const held = this.#held.get(name);
    if (held === undefined) return [];
    this.#held.delete(name);
    return [...held].map(([upstream, finding]) => ({ upstream, finding }));
  }
}
