import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { ChainError } from '../../../chain/errors.ts';
import type { BlockReference } from '../../../chain/requests.ts';
import type { BoundName } from '../../../util/bounds.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { StateRequests } from '../proven/state-requests.ts';

/** Block of the served chain. The hash is lower-case `0x` text. */
export type Place = { readonly number: bigint; readonly hash: string };

/** Request to a node about a block. */
export type NodeRequest = {
  readonly method: string;
  /** Returns the JSON text of the parameters. @param block JSON text of the block parameter */
  readonly encode: (block: JsonText) => JsonText;
  /** Request for a node that lacks the method; the answer arrives as a list with one item. */
  readonly instead?: NodeRequest;
  /** True if the answer is optional; a failed request is then not repeated. */
  readonly isOptional?: boolean;
};

/** Reference to a node, which is passed back to the source. */
export type NodeRef = { readonly name: string; readonly operator?: string };

/** A node's answer: JSON text, or an error that counts as an answer. */
export type StateReply = { readonly node: NodeRef; readonly answer: JsonText | ChainError };

/** Source of state that executions lack: nodes, whose answers are verified. */
export interface RemoteStateSource {
  /** @throws ChainError as long as the chain id is unknown; it is known after a block has been located */
  readonly chainId: bigint;
  /** Number of operators that must report the same rules; absent if two nodes are enough. */
  readonly voices?: number | undefined;
  /** Verified state, and requests for more. */
  readonly requests: StateRequests;
  /** Resolves a reference to a block of the served chain; undefined if there is no such block, or if it has left the chain. */
  locate(reference: BlockReference, scope: RequestScope): PromiseOrValue<Place | undefined>;
  /**
   * Sends a request about a block. Requests of one scope and turn of the event loop share an HTTP request if the node accepts batches.
   * @param read reads the parsed answer; returns undefined if the answer is wrong, so that another node is tried
   * @throws UpstreamFault, ChainError if no node returns a usable answer
   */
  ask<T>(
    request: NodeRequest,
    place: Place,
    read: (answer: unknown) => T | undefined,
    scope: RequestScope,
  ): Promise<T>;
  /**
   * Sends a request about a block to one node after the other, until no further node answers. The next node receives it when an answer is consumed.
   */
  survey(
    request: NodeRequest,
    place: Place,
    scope: RequestScope,
    except?: readonly NodeRef[],
  ): AsyncIterable<StateReply>;
  /** Reports that a node's answer about a block is refuted: the node is quarantined, and cached answers about the block are dropped. */
  refute(node: NodeRef, place: Place, evidence: string): void;
  /**
   * Records the trust level of an answer that was executed locally on verified state of a block.
   * @param whyUnverifiable reason why the answer may be wrong nevertheless, as the rest of a sentence
   */
  noteExecuted(
    place: Place,
    isNamed: boolean,
    whyUnverifiable: string | undefined,
    scope: RequestScope,
  ): void;
  /**
   * Must be called before anything is executed at a block.
   * @throws ChainError `unavailable` if answers have to be verified and the block is not canonical
   */
  demandAnchor(place: Place, isNamed: boolean): void;
  /**
   * Requires a verified answer.
   * @param why why the answer is unverified, as the rest of a sentence
   * @param bound bound that is the reason, if any
   * @throws ChainError `unavailable` if answers have to be verified
   */
  demandProof(why: string, bound?: BoundName): void;
  /** Returns whether a rejection of `ask` is caused by a node or the network, and not a fault of this program. */
  isOutage(error: unknown): boolean;
}
