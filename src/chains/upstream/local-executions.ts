import type { CallBytes } from '../../../packages/ethereum/primitives/call-bytes.ts';
import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../packages/ethereum/primitives/parse-json.ts';
import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference, CallRequest } from '../../chain/requests.ts';
import type { ExecutionFigures } from '../../observe/sources.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { NetworkChainId } from '../../pool/network-chain-id.ts';
import type { Upstream } from '../../pool/upstream.ts';
import type { AnsweredBy, UpstreamRequest } from '../../pool/upstream-request.ts';
import type { BoundName } from '../../util/bounds.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { StateRequests } from '../local-execution/proven/state-requests.ts';
import type { ResolvedBlock } from './block-resolver.ts';
import { findHash, type RequestParts } from './call-requests.ts';
import type { TrustRules } from './verifying/trust.ts';

export type ExecutionKind = 'call' | 'estimate' | 'accessList';

/** A node's answer: JSON text, or an error that counts as an answer. */
export type ExecutionReply = { readonly node: Upstream; readonly answer: JsonText | ChainError };

/** Compares a sample of the nodes' answers to calls with local executions. */
export interface CallSampler {
  /** Returns whether the answer to this call has to be passed to `noteAnswer`. */
  isSample(request: CallRequest): boolean;
  noteAnswer(answer: ExecutionReply & { readonly request: CallRequest; readonly place: Place }): void;
}

/** Executes calls on state that proofs from nodes verify. */
export interface LocalExecutions extends Partial<CallSampler> {
  /** True if `execute` always returns undefined. */
  readonly executesNone?: boolean;
  /** @returns the answer as JSON; undefined if the call has to be sent to nodes */
  execute(
    kind: ExecutionKind,
    request: CallRequest,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | undefined>;
  /**
   * Executes an `eth_call` that was read into bytes.
   * @returns undefined if it cannot be answered synchronously; call `execute` then
   */
  readonly executeFastPath?: ((call: CallBytes, scope: RequestScope) => JsonResult | undefined) | undefined;
  /** Called when the served head changes. */
  noteHead(place: Place): void;
  describe(): ExecutionFigures;
}

type Place = { readonly number: bigint; readonly hash: string };
type NodeRequest = {
  readonly method: string;
  readonly encode: (block: JsonText) => JsonText;
  readonly instead?: NodeRequest;
  readonly isOptional?: boolean;
};

/** Requests for local executions: parts of the state at blocks of the served chain. The executions verify the answers. */
export class UpstreamStateSource {
  readonly requests: StateRequests;
  /** Number of operators that have to report the rules of the chain; absent if two nodes are enough. */
  readonly voices: number | undefined;
  readonly #chainId: Pick<NetworkChainId, 'value'>;
  readonly #parts: RequestParts;
  readonly #trust: TrustRules;
  readonly #onRefuted: (node: Upstream, blockHash: string, evidence: string) => void;

  /** @param onRefuted called when a node's answer about a block is refuted */
  constructor(
    chainId: Pick<NetworkChainId, 'value'>,
    requests: StateRequests,
    parts: RequestParts,
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

  /** Returns the canonical block of a reference; undefined if there is none, or if the block has left the chain. */
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
   * Sends a request about a block, by its hash if nodes take one.
   * @param read returns undefined if the answer is wrong: another node is tried
   */
  async ask<T>(
    query: NodeRequest,
    place: Place,
    read: (answer: unknown) => T | undefined,
    scope: RequestScope,
  ): Promise<T> {
    let value: T | undefined;
    const call: UpstreamRequest = {
      check(result) {
        value = read(parseJsonText(result as JsonText));
        if (value === undefined)
          throw new UpstreamFault('wrong', 'the answer does not prove the requested state');
        return result;
      },
      ...toCall(query, place),
    };
    await this.#parts.ask({ call, scope });
    return value as T;
  }

  /**
   * Sends a request about a block to one node after the other, until no remaining node answers. The next node receives the request when the caller
   * takes the next answer.
   */
  async *survey(
    query: NodeRequest,
    place: Place,
    scope: RequestScope,
    except: readonly Upstream[] = [],
  ): AsyncGenerator<ExecutionReply> {
    const call = toCall(query, place);
    const requested = new Set(except);
    for (;;) {
      const witness: AnsweredBy = {};
      let answer: JsonText | ChainError;
      try {
        answer = (await this.#parts.ask({ call, scope, except: requested, witness })) as JsonText;
      } catch (error) {
        if (error instanceof UpstreamFault) return;
        if (!(error instanceof ChainError)) throw error;
        answer = error;
      }
      const node = witness.upstream;
      if (node === undefined || requested.has(node)) return;
      requested.add(node);
      yield { node, answer };
    }
  }

  /** Records that a node's answer about a block is refuted. */
  refute(node: Upstream, { hash }: Place, evidence: string): void {
    this.#onRefuted(node, hash, evidence);
  }

  /**
   * Records how far a local execution on verified state of a block is verified.
   * @param whyUnverifiable reason why the answer is unverifiable nevertheless, as the rest of a sentence
   */
  noteExecuted(
    place: Place,
    isNamed: boolean,
    whyUnverifiable: string | undefined,
    scope: RequestScope,
  ): void {
    this.#trust.noteExecuted(scope, place, isNamed, whyUnverifiable);
  }

  /**
   * Must be called before an execution at a block.
   * @throws ChainError `unavailable` if answers have to be verified and the block is not linked to its height
   */
  demandAnchor(place: Place, isNamed: boolean): void {
    this.#trust.demandAnchor(place, isNamed);
  }

  /**
   * @throws ChainError `unavailable` if answers have to be verified
   * @param why reason why this answer is not verified, as the rest of a sentence
   */
  demandProof(why: string, bound?: BoundName): void {
    this.#trust.demandProof(why, bound);
  }

  /** Returns whether a rejection of `ask` or `locate` comes from a node or from the network. */
  isOutage(error: unknown): boolean {
    return error instanceof UpstreamFault || error instanceof ChainError;
  }
}

function toCall({ method, encode, instead, isOptional }: NodeRequest, place: Place): UpstreamRequest {
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
