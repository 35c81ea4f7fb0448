import type { BlockAccessList } from '../../../../packages/ethereum/codecs/block-access-list.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { StateProofRequest, VerifiedState } from '../../../../packages/proofs/state-proof.ts';
import type { RequestScope } from '../../../util/request-scope.ts';

/** Block with a verified header. Texts are lower-case `0x` text. */
export type StatePlace = {
  readonly number: bigint;
  readonly hash: string;
  readonly stateRoot: string;
  /** True if the block is the canonical one of its height. */
  readonly isCanonical: boolean;
};

/**
 * Identifies a block's state: by the state root, which verifies values, and by the block hash, under which values derived from the parent's state are
 * stored.
 */
export type BlockState = Pick<StatePlace, 'hash' | 'stateRoot'>;

/** Block with a verified header, for readers that know its parent's state. */
export type HeadPlace = StatePlace & {
  readonly parentHash: string;
  /** Hash of the block access list (EIP-7928); undefined before Amsterdam. */
  readonly accessListHash: string | undefined;
};

/** Nodes that serve proofs of state, which are verified. Errors are outages. */
export interface StateNodes {
  /** @returns undefined if the proof has an unknown form */
  requestProof(
    query: StateProofRequest,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<VerifiedState | undefined>;
  /** Requests the code of an account whose code hash is verified by a proof. */
  requestCode(
    address: string,
    codeHash: Uint8Array,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<Uint8Array>;
}

/** Nodes that serve block access lists, which are verified. Errors are outages. */
export interface ListNodes {
  /** Returns the verified header of a block; undefined if it cannot be verified. */
  findHeader(number: bigint, hash: string, scope: RequestScope): PromiseOrValue<HeadPlace | undefined>;
  /** @returns undefined if no node has lists */
  requestAccessList(at: HeadPlace, scope: RequestScope): Promise<AnsweredList | undefined>;
}

/** List that its header commits to, undefined if it is too long to be read here; and the length of the answer that contained it. */
export type AnsweredList = { readonly list: BlockAccessList | undefined; readonly length: number };
