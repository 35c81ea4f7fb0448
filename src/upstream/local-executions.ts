import { ChainError } from '../chain/errors.ts';
import type { BlockReference, CallRequest } from '../chain/requests.ts';
import type { ExecutionFigures } from '../observe/sources.ts';
import type { CallBytes } from '../primitives/call-bytes.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { parseJsonText } from '../primitives/parse-json.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import type { StateRequests } from '../proven/state-requests.ts';
import type { BoundName } from '../util/bounds.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { ResolvedBlock } from './block-resolver.ts';
import { findHash, type QuestionParts } from './call-questions.ts';
import { UpstreamFault } from './fault.ts';
import type { NetworkChainId } from './network-chain-id.ts';
import type { RoutedCall, Witness } from './routed-call.ts';
import type { Upstream } from './upstream.ts';
import type { TrustRules } from './verifying/trust.ts';

export type ExecutionKind = 'call' | 'estimate' | 'accessList';

/** What a node answered: JSON text, or an error that is an answer. */
export type Opinion = { readonly node: Upstream; readonly answer: JsonText | ChainError };

/** Compares some of the answers that nodes give to calls. */
export interface CallSampler {
  /** Whether the answer to this call is to be handed to `noteAnswer`. */
  isSample(request: CallRequest): boolean;
  noteAnswer(answer: Opinion & { readonly request: CallRequest; readonly place: Place }): void;
}

/** Executes calls on state that nodes prove. */
export interface LocalExecutions extends Partial<CallSampler> {
  /** Whether `execute` never has an answer. */
  readonly executesNone?: boolean;
  /** @returns the answer as JSON; undefined where nodes have to be asked */
  execute(
    kind: ExecutionKind,
    request: CallRequest,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | undefined>;
  /** An `eth_call` that was read into bytes. @returns undefined where it cannot be answered at once: `execute` is to be asked */
  readonly executePlain?: ((call: CallBytes, scope: RequestScope) => JsonResult | undefined) | undefined;
  /** Called when the served head changes. */
  noteHead(place: Place): void;
  describe(): ExecutionFigures;
}

type Place = { readonly number: bigint; readonly hash: string };
type NodeQuestion = {
  readonly method: string;
  readonly encode: (block: JsonText) => JsonText;
  readonly instead?: NodeQuestion;
  readonly isOptional?: boolean;
};

/** What executions here ask nodes for: parts of states at blocks of the served chain, which they compare with what they know. */
export class StateSource {
  readonly requests: StateRequests;
  /** How many operators must tell the rules of the chain; absent where two nodes are enough. */
  readonly voices: number | undefined;
  readonly #chainId: Pick<NetworkChainId, 'value'>;
  readonly #parts: QuestionParts;
  readonly #trust: TrustRules;
  readonly #onRefuted: (node: Upstream, blockHash: string, evidence: string) => void;

  /** @param onRefuted a node's answer about a block is proven to be wrong */
  constructor(
    chainId: Pick<NetworkChainId, 'value'>,
    requests: StateRequests,
    parts: QuestionParts,
    trust: TrustRules,
    onRefuted: (node: Upstream, blockHash: string, evidence: string) => void,
    voices?: number,
  ) {
    this.voices = voices;
    this.#chainId = chainId;
    this.requests = requests;
    this.#parts = parts;
    this.#trust = trust;
    this.#onRefuted = onRefuted;
  }

  get chainId(): bigint {
    return this.#chainId.value;
  }

  /** The block of the served chain that a reference means; undefined where it means none, or one that has left the chain. */
  locate(reference: BlockReference, scope: RequestScope): PromiseOrValue<Place | undefined> {
    const { resolver, directory } = this.#parts;
    return continueWith(resolver.resolveSoon(reference, scope), (resolved) => {
      if (!isCanonical(resolved)) return undefined;
      return continueWith(findHash(resolved.position, directory, scope), (place) =>
        continueWith(reference.kind === 'hash' ? undefined : this.#trust.link(place), () => place),
      );
    });
  }

  /**
   * Asks about a block, by its hash where nodes take one.
   * @param read undefined where the answer is wrong: another node is asked
   */
  async ask<T>(
    question: NodeQuestion,
    place: Place,
    read: (answer: unknown) => T | undefined,
    scope: RequestScope,
  ): Promise<T> {
    let value: T | undefined;
    const call: RoutedCall = {
      ...toCall(question, place),
      check(result) {
        value = read(parseJsonText(result as JsonText));
        if (value === undefined)
          throw new UpstreamFault('wrong', 'the answer does not prove what was asked for');
        return result;
      },
    };
    await this.#parts.ask({ call, scope });
    return value as T;
  }

  /** Asks one node after the other about a block, each when its answer is read, until there is none left that answers. */
  async *survey(
    question: NodeQuestion,
    place: Place,
    scope: RequestScope,
    except: readonly Upstream[] = [],
  ): AsyncGenerator<Opinion> {
    const call = toCall(question, place);
    const asked = new Set(except);
    for (;;) {
      const witness: Witness = {};
      let answer: JsonText | ChainError;
      try {
        answer = (await this.#parts.ask({ call, scope, except: asked, witness })) as JsonText;
      } catch (error) {
        if (error instanceof UpstreamFault) return;
        if (!(error instanceof ChainError)) throw error;
        answer = error;
      }
      const node = witness.upstream;
      if (node === undefined || asked.has(node)) return;
      asked.add(node);
      yield { node, answer };
    }
  }

  /** A node's answer about a block is proven to be wrong. */
  refute(node: Upstream, { hash }: Place, evidence: string): void {
    this.#onRefuted(node, hash, evidence);
  }

  /**
   * Notes how far an answer is to be believed that was executed here on proven state of a block.
   * @param whyUnproven why it may be wrong all the same, as the rest of a sentence
   */
  noteExecuted(place: Place, isNamed: boolean, whyUnproven: string | undefined, scope: RequestScope): void {
    this.#trust.noteExecuted(scope, place, isNamed, whyUnproven);
  }

  /**
   * Before anything is executed at a block.
   * @throws ChainError `unavailable` where answers have to be proven and the block is not that of its height
   */
  demandAnchor(place: Place, isNamed: boolean): void {
    this.#trust.demandAnchor(place, isNamed);
  }

  /** @throws ChainError `unavailable` where answers have to be proven @param why this one is not, as the rest of a sentence */
  demandProof(why: string, bound?: BoundName): void {
    this.#trust.demandProof(why, bound);
  }

  /** Whether a rejection of `ask` or `locate` is a node's or the network's. */
  isOutage(error: unknown): boolean {
    return error instanceof UpstreamFault || error instanceof ChainError;
  }
}

function toCall({ method, encode, instead, isOptional }: NodeQuestion, place: Place): RoutedCall {
  const number = `"${encodeQuantity(place.number)}"`;
  return {
    method,
    params: encode(number),
    paramsByHash: encode(`{"blockHash":"${place.hash}","requireCanonical":false}`),
    block: place,
    nulls: 'fault',
    isText: true,
    isOptional,
    ...(instead !== undefined && {
      batch: () => [{ method: instead.method, params: instead.encode(number) }],
    }),
  };
}

function isCanonical(
  resolved: ResolvedBlock,
): resolved is Extract<ResolvedBlock, { readonly kind: 'block' }> {
  return resolved.kind === 'block' && resolved.isCanonical;
}
