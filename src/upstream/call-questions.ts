import type { CacheKey } from '../cache/cache.ts';
import type { BlockReference, CallObject, CallRequest, SimulateRequest } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue, recoverWith } from '../primitives/promise-or-value.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { BlockDirectory } from './block-directory.ts';
import type { BlockResolver, ResolvedBlock } from './block-resolver.ts';
import { CallAtBlock } from './call-at-block.ts';
import { checkAccessList, checkSimulation } from './checks/check-simulations.ts';
import { checkData, checkQuantity } from './checks/check-values.ts';
import type { CallSampler } from './local-executions.ts';
import type { Ask, BlockPosition, Exchange, Witness } from './routed-call.ts';
import type { Proofs } from './verifying/proofs.ts';

export type QuestionParts = {
  /** Separates cache entries of this chain from those of others. */
  readonly cacheScope: () => string;
  readonly ask: Ask;
  /** Keeps an answer that was compared with its block after it had come. */
  readonly keep: (key: CacheKey, answer: JsonText) => void;
  readonly resolver: BlockResolver;
  readonly directory: BlockDirectory;
  /** What answers are verified with; absent where they are compared only. */
  readonly proofs?: Proofs | undefined;
  /** An answer that is kept. */
  readonly recall?: (key: CacheKey) => PromiseOrValue<JsonResult | undefined>;
};

/** UTF-16 units of a call beyond which its answer is neither kept nor shared: the key is as long, and read several times. */
export const MAX_KEY_LENGTH = 65_536;

type Check = (result: JsonResult) => JsonResult;

/** Parameters as text: the first one, the block, and those after it, each with its comma. */
type EncodedRequest = {
  readonly block: BlockReference;
  readonly text: JsonText;
  readonly overrides: string;
};

type Question = {
  readonly method: string;
  readonly request: EncodedRequest;
  readonly check: Check;
  /** The same call where the answer to it is to be compared. */
  readonly sample?: CallRequest | undefined;
};

/** A block with a known hash. */
export type PinnedBlock = {
  readonly position: { readonly number: bigint; readonly hash: string };
  readonly isCanonical: boolean;
};

/** `eth_call`, `eth_estimateGas`, `eth_createAccessList` and `eth_simulateV1`: at one block for all upstreams, by its hash where nodes take one. */
export class CallQuestions {
  readonly #parts: QuestionParts;
  readonly #sampler: Partial<CallSampler> | undefined;

  /** @param sampler what some answers are compared by */
  constructor(parts: QuestionParts, sampler?: Partial<CallSampler>) {
    this.#parts = parts;
    this.#sampler = sampler;
  }

  call(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    const sample = this.#sampler?.isSample?.(request) === true ? request : undefined;
    return this.#ask('eth_call', encodeRequest(request), checkData, scope, sample);
  }

  estimateGas(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonText> {
    const answer = this.#ask('eth_estimateGas', encodeRequest(request), checkQuantity, scope);
    return answer as PromiseOrValue<JsonText>;
  }

  createAccessList(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    return this.#ask('eth_createAccessList', encodeRequest(request), checkAccessList, scope);
  }

  simulate({ simulation, block }: SimulateRequest, scope: RequestScope): PromiseOrValue<JsonResult> {
    const { length } = simulation.blockStateCalls;
    const text = JSON.stringify(simulation);
    const check: Check = (result) => checkSimulation(result, length);
    return this.#ask('eth_simulateV1', { block, text, overrides: '' }, check, scope);
  }

  #ask(
    method: string,
    request: EncodedRequest,
    check: Check,
    scope: RequestScope,
    sample?: CallRequest,
  ): PromiseOrValue<JsonResult> {
    const question = { method, request, check, sample };
    const resolved = this.#parts.resolver.resolveNow(request.block);
    return isPinned(resolved) ? this.#askAt(question, resolved, scope) : this.#resolveAndAsk(question, scope);
  }

  async #resolveAndAsk(question: Question, scope: RequestScope): Promise<JsonResult> {
    const { resolver, directory, ask } = this.#parts;
    const resolved = await resolver.resolve(question.request.block, scope);
    if (resolved.kind === 'none') throw new ChainError('failed', resolved.message);
    if (resolved.kind === 'block') {
      const position = await findHash(resolved.position, directory, scope);
      return this.#askAt(question, { position, isCanonical: resolved.isCanonical }, scope);
    }
    const { method, request, check } = question;
    const params = `[${request.text},"pending"${request.overrides}]`;
    const call = { method, params, isSticky: true, nulls: 'fault', isHeld: true, check } as const;
    return ask({ call, scope });
  }

  #askAt(
    { method, request, check, sample }: Question,
    { position, isCanonical }: PinnedBlock,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult> {
    const { text, overrides } = request;
    const isShort = text.length + overrides.length <= MAX_KEY_LENGTH;
    const isStrict = request.block.kind === 'hash' && request.block.requireCanonical;
    // Everything in the parameters is hex, of which case says nothing.
    const key = isShort
      ? {
          blockHash: position.hash,
          question: `${this.#parts.cacheScope()}:${method}:${text}${overrides}`.toLowerCase(),
        }
      : undefined;
    const call = new CallAtBlock(method, { text, overrides, isStrict, isCanonical }, position, key, check);
    if (sample === undefined || !isCanonical) return this.#parts.ask({ call, scope });
    return this.#askSampled(sample, position, { call, scope });
  }

  /** Hands the answer to be compared, where a node has given it to this call: not a kept one, nor one that another call waits for too. */
  #askSampled(
    request: CallRequest,
    place: PinnedBlock['position'],
    exchange: Exchange,
  ): PromiseOrValue<JsonResult> {
    const witness: Witness = {};
    const note = (answer: JsonResult | ChainError): void => {
      const node = witness.upstream;
      if (node !== undefined && (typeof answer === 'string' || answer instanceof ChainError))
        this.#sampler?.noteAnswer?.({ node, answer, request, place });
    };
    const asked = recoverWith<JsonResult>(
      () => this.#parts.ask({ ...exchange, witness }),
      (error) => {
        // Other failures may be by limits of the node.
        if (error instanceof ChainError && error.kind === 'reverted') note(error);
        throw error;
      },
    );
    return continueWith(asked, (result) => {
      note(result);
      return result;
    });
  }
}

/** Whether nothing has to be asked to know which block is meant. */
export function isPinned(
  resolved: ResolvedBlock | undefined,
): resolved is PinnedBlock & { readonly kind: 'block' } {
  return resolved?.kind === 'block' && resolved.position.hash !== undefined;
}

/** Fills in the hash of a height that has not been asked for lately. @throws ChainError when there is no such block */
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
  return { block: request.block, text: encodeCallObject(request.call), overrides: encodeOverrides(request) };
}

/** Data needs no escapes, as it is hex digits: megabytes of it are not looked at again. */
function encodeCallObject(call: CallObject): JsonText {
  const { data, ...others } = call;
  if (data === undefined || data.length < MAX_KEY_LENGTH) return JSON.stringify(call);
  const rest = JSON.stringify(others);
  return `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}"data":"${data}"}`;
}

/** Further parameters, each with its comma. Sent only where there are any: not every client takes them. */
function encodeOverrides({ stateOverrides, blockOverrides }: CallRequest): string {
  if (stateOverrides === undefined && blockOverrides === undefined) return '';
  const state = JSON.stringify(stateOverrides ?? {});
  return blockOverrides === undefined ? `,${state}` : `,${state},${JSON.stringify(blockOverrides)}`;
}
