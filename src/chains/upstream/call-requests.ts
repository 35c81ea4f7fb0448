import type { JsonBytes, JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import {
  continueWith,
  type PromiseOrValue,
  recoverWith,
} from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { CacheKey } from '../../cache/cache.ts';
import type { CallOutcome } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference, CallObject, CallRequest, SimulateRequest } from '../../chain/requests.ts';
import type { SendCoalesced } from '../../pool/send-coalesced.ts';
import type { Upstream } from '../../pool/upstream.ts';
import type { AnsweredBy, BlockPosition, RequestContext, Send } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { sendUncovered } from './agreement/send-to-voices.ts';
import type { BlockDirectory } from './block-directory.ts';
import type { BlockResolver, ResolvedBlock } from './block-resolver.ts';
import { CallAtBlock } from './call-at-block.ts';
import { checkAccessListResult, checkSimulation } from './checks/check-simulations.ts';
import { checkData, checkQuantity } from './checks/check-values.ts';
import type { CallSampler } from './local-executions.ts';
import type { Proofs } from './verifying/proofs.ts';

export type RequestParts = {
  /** Returns a prefix of cache keys that differs between chains. */
  readonly cacheScope: () => string;
  readonly ask: Send;
  /** Sends a request to several operators and requires the same answer; see `sendUncovered`. */
  readonly sendToVoices?: Send | undefined;
  /** Coalesces several calls into one request; absent if coalescing is off. */
  readonly sendCoalesced?: SendCoalesced;
  /** Caches an answer that the caller has compared with its block after its arrival. */
  readonly keep: (key: CacheKey, answer: JsonText | JsonBytes) => void;
  readonly resolver: BlockResolver;
  readonly directory: BlockDirectory;
  /** Verifies answers; absent if verification is off. */
  readonly proofs?: Proofs | undefined;
  /** Returns the cached answer with this key; undefined if there is none. */
  readonly recall?: (key: CacheKey) => PromiseOrValue<JsonText | JsonBytes | undefined>;
};

/**
 * Maximum length of the parameters of a cached or coalesced call, UTF-16 units. The limit exists because a cache key contains all parameters and is
 * read several times.
 */
export const MAX_KEY_LENGTH = 65_536;

type Check = (result: JsonResult, upstream?: Upstream) => JsonResult;

const LIST_CHECK: Check = (result, upstream) => checkAccessListResult(result, upstream?.credentials);

/** Parameters of a call as JSON text. `text` is the first parameter; `overrides` are the parameters after the block, each preceded by a comma. */
type EncodedRequest = {
  readonly block: BlockReference;
  readonly text: JsonText;
  readonly overrides: string;
};

type Request = {
  readonly method: string;
  readonly request: EncodedRequest;
  readonly check: Check;
  /** The decoded call, if its answer may be sampled for comparison with a local execution. */
  readonly sample?: CallRequest | undefined;
};

/** A block with a known hash. */
export type PinnedBlock = {
  readonly position: { readonly number: bigint; readonly hash: string };
  readonly isCanonical: boolean;
};

/**
 * Runs `eth_call`, `eth_estimateGas`, `eth_createAccessList` and `eth_simulateV1` on one node. Every upstream receives the block by hash if it
 * accepts hashes, and otherwise by number.
 */
export class CallRequests {
  readonly #parts: RequestParts;
  readonly #sampler: Partial<CallSampler> | undefined;

  /** @param sampler compares a sample of the answers with local executions; absent if there is no sampling */
  constructor(parts: RequestParts, sampler?: Partial<CallSampler>) {
    this.#parts = parts;
    this.#sampler = sampler;
  }

  call(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    return this.#ask('eth_call', encodeRequest(request), checkData, scope, request);
  }

  /** Implements `Executions.callMany`. Returns undefined if coalescing is off, or if a call needs answers of several nodes. */
  callMany(
    requests: readonly (CallRequest | undefined)[],
    scope: RequestScope,
  ): PromiseOrValue<readonly (CallOutcome | undefined)[]> | undefined {
    const { sendCoalesced, sendToVoices } = this.#parts;
    // Coalesced calls are sent to one node, but with mandatory agreement several nodes must answer each call.
    if (sendCoalesced === undefined || sendToVoices !== undefined) return undefined;
    const calls = requests.map((request) => request && this.#describeNow(request));
    return continueWith(sendCoalesced(calls, scope), (outcomes) => {
      outcomes.forEach((outcome, position) => {
        const request = requests[position];
        const call = calls[position];
        if (outcome?.node === undefined || request === undefined || call?.isCanonical !== true) return;
        const { answer, node } = outcome;
        if (isReply(answer) && this.#isSample(request, call.block.number))
          this.#sampler?.noteAnswer?.({ node, answer, request, place: call.block });
      });
      return outcomes;
    });
  }

  /** Returns whether to compare the answer with a local execution, which is possible only if nodes send proofs of the state. */
  #isSample(request: CallRequest, number: bigint): boolean {
    const { proofs } = this.#parts;
    return proofs?.canVerify('state', number) === true && this.#sampler?.isSample?.(request) === true;
  }

  /** Builds the request for a message call. Returns undefined if the block of the call can be found only by a request. */
  #describeNow(request: CallRequest): CallAtBlock | undefined {
    const resolved = this.#parts.resolver.resolveNow(request.block);
    if (!isPinned(resolved)) return undefined;
    return this.#describe(
      { method: 'eth_call', request: encodeRequest(request), check: checkData },
      resolved,
    );
  }

  estimateGas(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonText> {
    const answer = this.#ask('eth_estimateGas', encodeRequest(request), checkQuantity, scope);
    return answer as PromiseOrValue<JsonText>;
  }

  createAccessList(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    return this.#ask('eth_createAccessList', encodeRequest(request), LIST_CHECK, scope);
  }

  simulate({ simulation, block }: SimulateRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    const { length } = simulation.blockStateCalls;
    const text = JSON.stringify(simulation);
    const check: Check = (result, upstream) => checkSimulation(result, length, upstream?.credentials);
    return this.#ask('eth_simulateV1', { block, text, overrides: '' }, check, scope);
  }

  #ask(
    method: string,
    request: EncodedRequest,
    check: Check,
    scope: RequestScope,
    sample?: CallRequest,
  ): PromiseOrValue<JsonResult> {
    const query = { method, request, check, sample };
    const resolved = this.#parts.resolver.resolveNow(request.block);
    return isPinned(resolved) ? this.#requestAt(query, resolved, scope) : this.#resolveAndAsk(query, scope);
  }

  async #resolveAndAsk(query: Request, scope: RequestScope): Promise<JsonResult> {
    const { resolver, directory } = this.#parts;
    const resolved = await resolver.resolve(query.request.block, scope);
    if (resolved.kind === 'none') throw new ChainError('failed', resolved.message);
    if (resolved.kind === 'block') {
      const position = await findHash(resolved.position, directory, scope);
      return this.#requestAt(query, { position, isCanonical: resolved.isCanonical }, scope);
    }
    const { method, request, check } = query;
    const params = `[${request.text},"pending"${request.overrides}]`;
    const call = {
      method,
      params,
      ...(request.overrides === '' && { paramsAlone: `[${request.text}]` }),
      isSticky: true,
      nulls: 'fault',
      isBuffered: true,
      check,
    } as const;
    return sendUncovered(this.#parts, { call, scope });
  }

  #requestAt(query: Request, block: PinnedBlock, scope: RequestScope): PromiseOrValue<JsonResult> {
    const call = this.#describe(query, block);
    const { sample } = query;
    const { position, isCanonical } = block;
    return sample !== undefined && isCanonical && this.#isSample(sample, position.number)
      ? this.#requestSampled(sample, position, { call, scope })
      : sendUncovered(this.#parts, { call, scope });
  }

  #describe({ method, request, check }: Request, { position, isCanonical }: PinnedBlock): CallAtBlock {
    const { text, overrides } = request;
    const isShort = text.length + overrides.length <= MAX_KEY_LENGTH;
    const isStrict = request.block.kind === 'hash' && request.block.requireCanonical;
    const isHead = request.block.kind === 'tag' && request.block.tag === 'latest';
    // The parameters contain only hex values, so calls that differ in the case of digits have the same lower-case key.
    const key = isShort
      ? {
          blockHash: position.hash,
          request: `${this.#parts.cacheScope()}:${method}:${text}${overrides}`.toLowerCase(),
          hashes: undefined,
        }
      : undefined;
    return new CallAtBlock(method, { text, overrides, isStrict, isCanonical, isHead }, position, key, check);
  }

  /**
   * Sends a call and passes the answer to the sampler. The node that sent a cached or coalesced answer is unknown, so such answers are not sampled.
   */
  #requestSampled(
    request: CallRequest,
    place: PinnedBlock['position'],
    context: RequestContext,
  ): PromiseOrValue<JsonResult> {
    const witness: AnsweredBy = {};
    const note = (answer: JsonResult | ChainError): void => {
      const node = witness.upstream;
      if (node !== undefined && isReply(answer))
        this.#sampler?.noteAnswer?.({ node, answer, request, place });
    };
    const requested = recoverWith<JsonResult>(
      () => sendUncovered(this.#parts, { ...context, witness }),
      (error) => {
        if (error instanceof ChainError) note(error);
        throw error;
      },
    );
    return continueWith(requested, (result) => {
      note(result);
      return result;
    });
  }
}

/**
 * Returns whether an answer can be compared with a local execution: a result or a revert. Other failures are not compared, because limits of the node
 * may cause them.
 */
function isReply(answer: JsonResult | ChainError): answer is JsonText | ChainError {
  return answer instanceof ChainError ? answer.kind === 'reverted' : typeof answer === 'string';
}

/** Returns whether the block and its hash are known without a request. */
export function isPinned(
  resolved: ResolvedBlock | undefined,
): resolved is PinnedBlock & { readonly kind: 'block' } {
  return resolved?.kind === 'block' && resolved.position.hash !== undefined;
}

/**
 * Returns the block position with its hash. If the hash is unknown, finds the canonical hash at the height.
 * @throws ChainError if there is no such block
 */
export function findHash(
  { number, hash }: BlockPosition,
  directory: BlockDirectory,
  scope: RequestScope,
): PromiseOrValue<PinnedBlock['position']> {
  if (hash !== undefined) return { number, hash };
  return continueWith(directory.findByNumber(number, scope), (block) => {
    if (block == null) throw new ChainError('failed', 'header not found');
    return { number, hash: block.hash };
  });
}

function encodeRequest(request: CallRequest): EncodedRequest {
  const text = request.callText ?? encodeCallObject(request.call);
  return { block: request.block, text, overrides: encodeOverrides(request) };
}

/** Encodes a call object. Strings are copied without escapes, because they contain only hex digits. */
function encodeCallObject(call: CallObject): JsonText {
  let text = '';
  for (const name in call) {
    const value = call[name as keyof CallObject];
    if (value === undefined) continue;
    const encoded = typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
    text += `${text === '' ? '' : ','}"${name}":${encoded}`;
  }
  return `{${text}}`;
}

/** Encodes state and block overrides, each preceded by a comma. Empty overrides are omitted, because not every client accepts them. */
function encodeOverrides({ stateOverrides, blockOverrides }: CallRequest): string {
  if (stateOverrides === undefined && blockOverrides === undefined) return '';
  const state = JSON.stringify(stateOverrides ?? {});
  return blockOverrides === undefined ? `,${state}` : `,${state},${JSON.stringify(blockOverrides)}`;
}
