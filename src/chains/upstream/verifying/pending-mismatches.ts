import type { Finding, Subject } from '../../../../packages/proofs/findings.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import { Lru } from '../../../util/lru.ts';

/** Cap on recent refuted answers, by block and subject: about 200 bytes per entry. */
const MAX_MISMATCHES = 1_024;
const MISMATCH_MS = 600_000;

/** A node's answer that its block refutes. */
export type PendingMismatch = { readonly upstream: Upstream; readonly finding: Finding };

/**
 * Answers that contradict their block, stored until it is known whether the node is at fault or the rules of the chain are unknown here. The node is
 * at fault if another node returns a verified answer about the same subject of the block.
 */
export class PendingMismatches {
  readonly #pending = new Lru<string, Map<Upstream, Finding>>(MAX_MISMATCHES, MISMATCH_MS);

  add(blockHash: string, upstream: Upstream, finding: Finding): void {
    const name = `${blockHash}:${finding.subject}`;
    const pending = this.#pending.get(name) ?? new Map<Upstream, Finding>();
    pending.set(upstream, finding);
    this.#pending.set(name, pending);
  }

  /** Returns the number of other nodes with the same evidence about a block. */
  countOthers(blockHash: string, upstream: Upstream, { subject, evidence }: Finding): number {
    const pending = this.#pending.get(`${blockHash}:${subject}`) ?? new Map<Upstream, Finding>();
    return [...pending].filter(([other, finding]) => other !== upstream && finding.evidence === evidence)
      .length;
  }

  /** Returns the findings about a subject of a block, by node. */
  listReplies(blockHash: string, subject: string): ReadonlyMap<Upstream, Finding> {
    return this.#pending.get(`${blockHash}:${subject}`) ?? new Map<Upstream, Finding>();
  }

  /** Removes and returns the refuted answers about a subject of a block; called after an answer about this subject was verified. */
  complete(blockHash: string, subject: Subject): readonly PendingMismatch[] {
    if (this.#pending.size === 0) return [];
    const name = `${blockHash}:${subject}`;
    const pending = this.#pending.get(name);
    if (pending === undefined) return [];
    this.#pending.delete(name);
    return [...pending].map(([upstream, finding]) => ({ upstream, finding }));
  }
}
