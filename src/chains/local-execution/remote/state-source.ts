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
  /** Returns the JSON text of the parameters. @param block JSON text of the parameter that names the block */
  readonly encode: (block: JsonText) => JsonText;
  /** Replacement for a node that lacks the method: its answer is a list of one. */
  readonly instead?: NodeRequest;
  /** The answer is optional: failed requests are not repeated. */
  readonly isOptional?: boolean;
};

/** Node reference, to be passed back to the source. */
export type NodeRef = { readonly name: string; readonly operator?: string };

/** Answer of a node: JSON text, or an error that is an answer. */
export type StateReply = { readonly node: NodeRef; readonly answer: JsonText | ChainError };

/** Source of state missing in executions: nodes, whose answers are verified. */
export interface RemoteStateSource {
  /** @throws ChainError as long as the chain id is not known, which is before any block is located */
  readonly chainId: bigint;
  /** Number of operators that must report the same; absent if two nodes are enough. */
  readonly voices?: number | undefined;
  /** Verified state, and requests for more. */
  readonly requests: StateRequests;
  /** Resolves a reference to a block of the served chain; undefined if there is none, or it has left the chain. */
  locate(reference: BlockReference, scope: RequestScope): PromiseOrValue<Place | undefined>;
  /**
   * Sends a request about a block. Requests of one scope and turn of the event loop share an HTTP request where the node takes batches.
   * @param read gets the parsed answer; returns undefined if it is wrong, so that another node is tried
   * @throws UpstreamFault, ChainError if no node gives a usable answer
   */
  ask<T>(
    request: NodeRequest,
    place: Place,
    read: (answer: unknown) => T | undefined,
    scope: RequestScope,
  ): Promise<T>;
  /** Sends a request about a block to one node after the other, the next when an answer is consumed, until no further node answers. */
  survey(
    request: NodeRequest,
    place: Place,
    scope: RequestScope,
    except?: readonly NodeRef[],
  ): AsyncIterable<StateReply>;
  /** Reports that a node's answer about a block is refuted: the node is quarantined, and cached answers about the block are dropped. */
  refute(node: NodeRef, place: Place, evidence: string): void;
  /**
   * Records to what degree a local execution on verified state of a block verifies its answer.
   * @param whyUnverifiable why the answer may be wrong all the same, as the rest of a sentence
   */
  noteExecuted(
    place: Place,
    isNamed: boolean,
    whyUnverifiable: string | undefined,
    scope: RequestScope,
  ): void;
  /**
   * Call before anything is executed at a block.
   * @throws ChainError `unavailable` if answers have to be verified and the block is not the canonical one of its height
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
