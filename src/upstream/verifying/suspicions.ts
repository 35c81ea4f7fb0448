import { Lru } from '../../util/lru.ts';
import type { Finding, Subject } from '../../verification/findings.ts';
import type { Upstream } from '../upstream.ts';

/** Cap on recent refuted answers, by block and subject: about 200 bytes each. */
const MAX_SUSPICIONS = 1_024;
const SUSPICION_MS = 600_000;

/** A node's answer that its block refutes. */
export type Suspicion = { readonly upstream: Upstream; readonly finding: Finding };

/**
 * Answers that contradict their block, stored until it is known whether the node or the rules known here are at fault: a node is wrong when another one
 * returns an answer about the same subject of the block that verifies.
 */
export class Suspicions {
  readonly #held = new Lru<string, Map<Upstream, Finding>>(MAX_SUSPICIONS, SUSPICION_MS);

  add(blockHash: string, upstream: Upstream, finding: Finding): void {
    const name = `${blockHash}:${finding.subject}`;
    const held = this.#held.get(name) ?? new Map<Upstream, Finding>();
    held.set(upstream, finding);
    this.#held.set(name, held);
  }

  /** Number of other nodes with the same evidence about a block. */
  countOthers(blockHash: string, upstream: Upstream, { subject, evidence }: Finding): number {
    const held = this.#held.get(`${blockHash}:${subject}`) ?? new Map<Upstream, Finding>();
    return [...held].filter(([other, finding]) => other !== upstream && finding.evidence === evidence).length;
  }

  /** Findings about a subject of a block, by node. */
  listOpinions(blockHash: string, subject: string): ReadonlyMap<Upstream, Finding> {
    return this.#held.get(`${blockHash}:${subject}`) ?? new Map<Upstream, Finding>();
  }

  /** Removes and returns the refuted answers about a subject of a block; called when an answer about it was verified. */
  settle(blockHash: string, subject: Subject): readonly Suspicion[] {
    if (this.#held.size === 0) return [];
    const name = `${blockHash}:${subject}`;
    const held = this.#held.get(name);
    if (held === undefined) return [];
    this.#held.delete(name);
    return [...held].map(([upstream, finding]) => ({ upstream, finding }));
  }
}
