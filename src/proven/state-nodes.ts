import type { BlockAccessList } from '../chain/block-access-list.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
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

/** A block by what its state is known under: the state root, which proves values, and the block's hash, under which they follow from its parent's. */
export type BlockState = Pick<StatePlace, 'hash' | 'stateRoot'>;

/** A block by its verified header, for those that know its parent's state. */
export type HeadPlace = StatePlace & {
  readonly parentHash: string;
  /** EIP-7928; undefined before Amsterdam. */
  readonly accessListHash: string | undefined;
};

/** Nodes that are asked to prove state, and are not believed. What they throw are outages. */
export interface StateNodes {
  /** @returns undefined where the proof is of a form that is not known here */
  askProof(question: ProofQuestion, at: StatePlace, scope: RequestScope): Promise<ProvenState | undefined>;
  /** Code of an account that has the hash of its code proven. */
  askCode(address: string, codeHash: Uint8Array, at: StatePlace, scope: RequestScope): Promise<Uint8Array>;
}

/** Nodes that are asked what blocks have changed, and are not believed. What they throw are outages. */
export interface ListNodes {
  /** The header of a block that has been verified; undefined where it cannot be. */
  findHeader(number: bigint, hash: string, scope: RequestScope): PromiseOrValue<HeadPlace | undefined>;
  /** @returns undefined where no node has lists */
  askAccessList(at: HeadPlace, scope: RequestScope): Promise<AnsweredList | undefined>;
}

/** A list that its header commits to, undefined where it is too long to be read here; and the length of the answer that it came in. */
export type AnsweredList = { readonly list: BlockAccessList | undefined; readonly length: number };
