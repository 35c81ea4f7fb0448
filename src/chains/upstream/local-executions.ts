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

/** A node's answer: JSON text, or an error that the node returned as its answer. */
export type ExecutionReply = { readonly node: Upstream; readonly answer: JsonText | ChainError };

/** Compares a sample of the nodes' answers to calls with local executions. */
export interface CallSampler {
  /** Decides whether to sample this call; if true, the caller passes the node's answer to `noteAnswer`. */
  isSample(request: CallRequest): boolean;
  noteAnswer(answer: ExecutionReply & { readonly request: CallRequest; readonly place: Place }): void;
}

/** Executes calls locally, on nodes' state that is verified by proofs. */
export interface LocalExecutions extends Partial<CallSampler> {
  /** True if nodes execute all calls, so that `execute` always returns undefined. */
  readonly executesNone?: boolean;
  /** Executes a call. @returns the answer as JSON; undefined if nodes have to execute the call */
  execute(
    kind: ExecutionKind,
    request: CallRequest,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | undefined>;
  /**
   * Executes an `eth_call` whose parameters were decoded to bytes.
   * @returns undefined if no synchronous answer is possible; the caller then calls `execute`
   */
  readonly executeFastPath?: ((call: CallBytes, scope: RequestScope) => JsonResult | undefined) | undefined;
  /** Must be called when the served head changes. */
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

/** Sends requests of local executions for state at blocks of the served chain. The callers verify the answers of nodes. */
export class UpstreamStateSource {
  readonly requests: StateRequests;
  /** Number of operators that must report the same fork rules; undefined if two nodes are enough. */
  readonly voices: number | undefined;
  readonly #chainId: Pick<NetworkChainId, 'value'>;
  readonly #parts: RequestParts;
  readonly #trust: TrustRules;
  readonly #onRefuted: (node: Upstream, blockHash: string, evidence: string) => void;

  /** @param onRefuted called with a node whose answer about a block is refuted, the block hash, and the evidence */
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

  /** Returns number and hash of the canonical block of a reference; undefined if there is no such block, or if a reorg has removed it. */
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
   * Sends a request about a block. If a node accepts block hashes, the request names the block by hash.
   * @param read converts the answer; returns undefined if the answer is wrong; another node is then tried
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
   * Sends a request about a block to one node after the other, until no remaining node answers. The next node receives the request only when the
   * caller reads the next answer.
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

  /** Reports that a node's answer about a block is refuted. */
  refute(node: Upstream, { hash }: Place, evidence: string): void {
    this.#onRefuted(node, hash, evidence);
  }

  /**
   * Records the trust level of a local execution on verified state of a block.
   * @param whyUnverifiable reason why the execution may be wrong although its state was verified, as a clause for an error text
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
   * Must be called before an execution at a block. If the network requires verification, checks that the block is verified to be canonical.
   * @throws ChainError `unavailable` if the network requires verification and the block is not verified to be canonical
   */
  demandAnchor(place: Place, isNamed: boolean): void {
    this.#trust.demandAnchor(place, isNamed);
  }

  /**
   * @throws ChainError `unavailable` if answers have to be verified
   * @param why reason why this answer is not verified, as a clause for an error text
   */
  demandProof(why: string, bound?: BoundName): void {
    this.#trust.demandProof(why, bound);
  }

  /** Returns whether a rejection of `ask` or `locate` was caused by a node or the network. */
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
