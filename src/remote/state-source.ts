import type { ChainError } from '../chain/errors.ts';
import type { BlockReference } from '../chain/requests.ts';
import type { JsonText } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { StateRequests } from '../proven/state-requests.ts';
import type { BoundName } from '../util/bounds.ts';
import type { RequestScope } from '../util/request-scope.ts';

/** A block of the served chain. The hash is lower-case `0x` text. */
export type Place = { readonly number: bigint; readonly hash: string };

/** What is asked of a node about a block. */
export type NodeQuestion = {
  readonly method: string;
  /** JSON text of the parameters. @param block JSON text of the parameter that names the block */
  readonly encode: (block: JsonText) => JsonText;
  /** What a node that lacks the method is asked: the answer is a list of one. */
  readonly instead?: NodeQuestion;
  /** The answer can be done without: nodes that have none are not asked again. */
  readonly isOptional?: boolean;
};

/** A node, for those that hand it back. */
export type NodeRef = { readonly name: string; readonly operator?: string };

/** What a node answered: JSON text, or an error that is an answer. */
export type Opinion = { readonly node: NodeRef; readonly answer: JsonText | ChainError };

/** Where executions get what they miss: nodes that are not believed. */
export interface StateSource {
  /** @throws ChainError as long as it is not known, which is before any block is located */
  readonly chainId: bigint;
  /** How many operators must tell the same; absent where two nodes are enough. */
  readonly voices?: number | undefined;
  /** State that is proven, and what asks for it. */
  readonly requests: StateRequests;
  /** The block of the served chain that a reference means; undefined where it means none, or one that has left the chain. */
  locate(reference: BlockReference, scope: RequestScope): PromiseOrValue<Place | undefined>;
  /**
   * Asks about a block. Questions of one scope and turn share a request where the node takes them.
   * @param read the answer as it was parsed; undefined where it is wrong, so that another node is asked
   * @throws UpstreamFault, ChainError where no node gives an answer that can be used
   */
  ask<T>(
    question: NodeQuestion,
    place: Place,
    read: (answer: unknown) => T | undefined,
    scope: RequestScope,
  ): Promise<T>;
  /** Asks one node after the other about a block, each when its answer is read, until there is none left that answers. */
  survey(
    question: NodeQuestion,
    place: Place,
    scope: RequestScope,
    except?: readonly NodeRef[],
  ): AsyncIterable<Opinion>;
  /** A node's answer about a block is proven to be wrong: the node is quarantined, and what is kept of the block is forgotten. */
  refute(node: NodeRef, place: Place, evidence: string): void;
  /**
   * Notes how far an answer is to be believed that was executed here on proven state of a block.
   * @param whyUnproven why it may be wrong all the same, as the rest of a sentence
   */
  noteExecuted(place: Place, isNamed: boolean, whyUnproven: string | undefined, scope: RequestScope): void;
  /**
   * Before anything is executed at a block.
   * @throws ChainError `unavailable` where answers have to be proven and the block is not that of its height
   */
  demandAnchor(place: Place, isNamed: boolean): void;
  /**
   * @param why the answer is not proven, as the rest of a sentence
   * @param bound because of which it is not, if any
   * @throws ChainError `unavailable` where answers have to be proven
   */
  demandProof(why: string, bound?: BoundName): void;
  /** Whether a rejection of `ask` is a node's or the network's, and not a fault of this program. */
  isOutage(error: unknown): boolean;
}
