import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import type { ChainError } from '../../../chain/errors.ts';
import type { BlockReference } from '../../../chain/requests.ts';
import type { BoundName } from '../../../util/bounds.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { StateRequests } from '../proven/state-requests.ts';

/** Number and hash of a block of the served chain. The hash is lower-case `0x` text. */
export type Place = { readonly number: bigint; readonly hash: string };

/** Request to a node about a block. */
export type NodeRequest = {
  readonly method: string;
  /** Returns the JSON text of the parameters. @param block JSON text of the block parameter */
  readonly encode: (block: JsonText) => JsonText;
  /** Request that is sent instead if the node lacks the method. Each answer to the substitute request is wrapped in a list with one item. */
  readonly instead?: NodeRequest;
  /** True if the caller can continue without the answer. A failed request is then not repeated. */
  readonly isOptional?: boolean;
};

/** Identifies a node in `survey` and `refute`. */
export type NodeRef = { readonly name: string; readonly operator?: string };

/** A node's answer: JSON text, or an error that the call itself caused. */
export type StateReply = { readonly node: NodeRef; readonly answer: JsonText | ChainError };

/** Source of state for executions: nodes, whose answers are verified. */
export interface RemoteStateSource {
  /** Chain id. @throws ChainError if the chain id is still unknown; it is known once a block has been located */
  readonly chainId: bigint;
  /** Number of operators that must report the same fork rules; undefined if two nodes are enough. */
  readonly voices?: number | undefined;
  /** Reads verified state, and requests missing state from nodes. */
  readonly requests: StateRequests;
  /** Resolves a reference to a block of the served chain. Returns undefined if the chain has no such block, or if a reorg has removed the block. */
  locate(reference: BlockReference, scope: RequestScope): PromiseOrValue<Place | undefined>;
  /**
   * Sends a request about a block. If the node accepts batches, requests with the same scope in one turn of the event loop are sent as a batch.
   * @param read converts the parsed answer; returns undefined if the answer is wrong, so that the request goes to another node
   * @throws UpstreamFault, ChainError if no node returns a usable answer
   */
  ask<T>(
    request: NodeRequest,
    place: Place,
    read: (answer: unknown) => T | undefined,
    scope: RequestScope,
  ): Promise<T>;
  /**
   * Sends a request about a block to one node after the other, until no further node answers. Sends to the next node only after the consumer has
   * taken the previous answer.
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
   * Records for the trust header that an answer was executed locally on verified state of a block.
   * @param whyUnverifiable reason why the answer may be wrong although the state was verified, as a clause for an error text; undefined if there is
   * none
   */
  noteExecuted(
    place: Place,
    isNamed: boolean,
    whyUnverifiable: string | undefined,
    scope: RequestScope,
  ): void;
  /**
   * Checks whether a block is canonical, if that is required; must be called before an execution at the block.
   * @throws ChainError `unavailable` if answers have to be verified and the block is not canonical
   */
  demandAnchor(place: Place, isNamed: boolean): void;
  /**
   * Checks whether an unverified answer is allowed.
   * @param why reason why the answer cannot be verified, as a clause for an error text
   * @param bound name of the exceeded limit, if that is the reason
   * @throws ChainError `unavailable` if answers have to be verified
   */
  demandProof(why: string, bound?: BoundName): void;
  /** Returns whether a rejection of `ask` is caused by a node or the network, and not by an internal error of the gateway. */
  isOutage(error: unknown): boolean;
}
