import type { BlockAccessList } from '../../../../packages/ethereum/codecs/block-access-list.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { StateProofRequest, VerifiedState } from '../../../../packages/proofs/state-proof.ts';
import type { RequestScope } from '../../../util/request-scope.ts';

/** Block whose header was verified against its hash. Hashes are lower-case `0x` text. */
export type StatePlace = {
  readonly number: bigint;
  readonly hash: string;
  readonly stateRoot: string;
  /** True if the block is on the canonical chain of the served network. */
  readonly isCanonical: boolean;
};

/** Identifies the state of a block. Proofs are verified against the state root; values derived from the parent's state are stored by block hash. */
export type BlockState = Pick<StatePlace, 'hash' | 'stateRoot'>;

/** Block with a verified header and the header fields for deriving its state from its parent's state. */
export type HeadPlace = StatePlace & {
  readonly parentHash: string;
  /** Hash of the block access list (EIP-7928); undefined before Amsterdam. */
  readonly accessListHash: string | undefined;
};

/** Requests proofs of state from nodes and verifies the proofs. The methods reject if nodes or the network fail. */
export interface StateNodes {
  /** Requests and verifies the proof of an account and slots. @returns undefined if the proof has an unknown form */
  requestProof(
    query: StateProofRequest,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<VerifiedState | undefined>;
  /** Requests the code of an account whose code hash was verified by a proof. */
  requestCode(
    address: string,
    codeHash: Uint8Array,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<Uint8Array>;
}

/** Requests block access lists from nodes and verifies the lists. The methods reject if nodes or the network fail. */
export interface ListNodes {
  /** Returns the verified header of a block; undefined if it cannot be verified. */
  findHeader(number: bigint, hash: string, scope: RequestScope): PromiseOrValue<HeadPlace | undefined>;
  /** Requests and verifies the access list of a block. @returns undefined if no node has access lists */
  requestAccessList(at: HeadPlace, scope: RequestScope): Promise<AnsweredList | undefined>;
}

/** Verified access list, and the length of the node's answer (`length`), UTF-16 units. The list is undefined if the answer is too long to be read. */
export type AnsweredList = { readonly list: BlockAccessList | undefined; readonly length: number };
