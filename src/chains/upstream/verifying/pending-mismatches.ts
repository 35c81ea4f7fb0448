import type { Finding, Subject } from '../../../../packages/proofs/findings.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import { Lru } from '../../../util/lru.ts';

/** Maximum number of pairs of block and subject with stored mismatches, about 200 bytes each. */
const MAX_MISMATCHES = 1_024;
const MISMATCH_MS = 600_000;

/** A node whose answer does not match its block, and the finding in the answer. */
export type PendingMismatch = { readonly upstream: Upstream; readonly finding: Finding };

/**
 * Answers that do not match their block. A mismatch is stored until it is known whether the node is at fault or the chain has rules that are unknown
 * to this program. The node is at fault if another node's answer about the same part (`Subject`) of the block is verified.
 */
export class PendingMismatches {
  readonly #pending = new Lru<string, Map<Upstream, Finding>>(MAX_MISMATCHES, MISMATCH_MS);

  add(blockHash: string, upstream: Upstream, finding: Finding): void {
    const name = `${blockHash}:${finding.subject}`;
    const pending = this.#pending.get(name) ?? new Map<Upstream, Finding>();
    pending.set(upstream, finding);
    this.#pending.set(name, pending);
  }

  /** Returns the number of other nodes whose answers about the block have the same finding. */
  countOthers(blockHash: string, upstream: Upstream, { subject, evidence }: Finding): number {
    const pending = this.#pending.get(`${blockHash}:${subject}`) ?? new Map<Upstream, Finding>();
    return [...pending].filter(([other, finding]) => other !== upstream && finding.evidence === evidence)
      .length;
  }

  /** Returns the findings in answers about a subject of a block, by node. */
  listReplies(blockHash: string, subject: string): ReadonlyMap<Upstream, Finding> {
    return this.#pending.get(`${blockHash}:${subject}`) ?? new Map<Upstream, Finding>();
  }

  /** Removes and returns the mismatches of a subject of a block; called after an answer about this subject was verified. */
  complete(blockHash: string, subject: Subject): readonly PendingMismatch[] {
    if (this.#pending.size === 0) return [];
    const name = `${blockHash}:${subject}`;
    const pending = this.#pending.get(name);
    if (pending === undefined) return [];
    this.#pending.delete(name);
    return [...pending].map(([upstream, finding]) => ({ upstream, finding }));
  }
}
