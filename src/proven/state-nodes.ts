import type { RequestScope } from '../util/request-scope.ts';
import type { ProofQuestion, ProvenState } from '../verification/state-proof.ts';

/** A block with a verified header. Texts are lower-case `0x` text. */
export type StatePlace = {
  readonly number: bigint;
  readonly hash: string;
  readonly stateRoot: string;
  /** Whether the height means the block. */
  readonly isCanonical: boolean;
};

/** Nodes that are asked to prove state, and are not believed. What they throw are outages. */
export interface StateNodes {
  /** @returns undefined where the proof is of a form that is not known here */
  askProof(question: ProofQuestion, at: StatePlace, scope: RequestScope): Promise<ProvenState | undefined>;
  /** Code of an account that has the hash of its code proven. */
  askCode(address: string, codeHash: Uint8Array, at: StatePlace, scope: RequestScope): Promise<Uint8Array>;
}
