import type { CacheKey } from '../cache/cache.ts';
import type { BlockReference, CallRequest, SimulateRequest } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { BlockDirectory } from './block-directory.ts';
import type { BlockResolver, ResolvedBlock } from './block-resolver.ts';
import { checkAccessList, checkSimulation } from './checks/check-simulations.ts';
import { checkData, checkQuantity } from './checks/check-values.ts';
import type { BlockPosition, Handler, RoutedCall } from './routed-call.ts';

export type QuestionParts = {
  /** Tells what is kept of this chain from what is kept of others. */
  readonly cacheScope: () => string;
  readonly ask: Handler;
  /** Keeps an answer that was compared with its block after it had come. */
  readonly keep: (key: CacheKey, answer: JsonText) => void;
  readonly resolver: BlockResolver;
  readonly directory: BlockDirectory;
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

type Question = { readonly method: string; readonly request: EncodedRequest; readonly check: Check };

/** A block whose hash is known. */
type PinnedBlock = Extract<ResolvedBlock, { kind: 'block' }>;

/** `eth_call`, `eth_estimateGas`, `eth_createAccessList` and `eth_simulateV1`: at one block for all upstreams, by its hash where nodes take one. */
export class CallQuestions {
  readonly #parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  call(request: CallRequest, scope: RequestScope): Promise<JsonResult> {
    return this.#ask('eth_call', encodeRequest(request), checkData, scope);
  }

  estimateGas(request: CallRequest, scope: RequestScope): Promise<JsonText> {
    return this.#ask('eth_estimateGas', encodeRequest(request), checkQuantity, scope) as Promise<JsonText>;
  }

  createAccessList(request: CallRequest, scope: RequestScope): Promise<JsonResult> {
    return this.#ask('eth_createAccessList', encodeRequest(request), checkAccessList, scope);
  }

  simulate({ simulation, block }: SimulateRequest, scope: RequestScope): Promise<JsonResult> {
    const { length } = simulation.blockStateCalls;
    const text = JSON.stringify(simulation);
    const check: Check = (result) => checkSimulation(result, length);
    return this.#ask('eth_simulateV1', { block, text, overrides: '' }, check, scope);
  }

  #ask(method: string, request: EncodedRequest, check: Check, scope: RequestScope): Promise<JsonResult> {
    const resolved = this.#parts.resolver.resolveNow(request.block);
    const isPinned = resolved?.kind === 'block' && resolved.position.hash !== undefined;
    return isPinned
      ? this.#askAt({ method, request, check }, resolved, scope)
      : this.#resolveAndAsk({ method, request, check }, scope);
  }

  async #resolveAndAsk(question: Question, scope: RequestScope): Promise<JsonResult> {
    const { resolver, directory, ask } = this.#parts;
    const resolved = await resolver.resolve(question.request.block, scope);
    if (resolved.kind === 'none') throw new ChainError('failed', resolved.message);
    if (resolved.kind === 'block') {
      const position = await findHash(resolved.position, directory, scope);
      return this.#askAt(question, { ...resolved, position }, scope);
    }
    const { method, request, check } = question;
    const params = `[${request.text},"pending"${request.overrides}]`;
    const call = { method, params, isSticky: true, nulls: 'fault', isHeld: true, check } as const;
    return ask({ call, scope });
  }

  #askAt({ method, request, check }: Question, block: PinnedBlock, scope: RequestScope): Promise<JsonResult> {
    const { number, hash } = block.position as { readonly number: bigint; readonly hash: string };
    const { text, overrides } = request;
    const isStrict = request.block.kind === 'hash' && request.block.requireCanonical;
    const byHash = `[${text},{"blockHash":"${hash}","requireCanonical":${isStrict}}${overrides}]`;
    const call: RoutedCall = {
      method,
      params: block.isCanonical ? `[${text},"${encodeQuantity(number)}"${overrides}]` : byHash,
      paramsByHash: byHash,
      block: { number, hash },
      ...(text.length + overrides.length <= MAX_KEY_LENGTH && {
        key: {
          blockHash: hash,
          // Everything in the parameters is hex, of which case says nothing.
          question: `${this.#parts.cacheScope()}:${method}:${text}${overrides}`.toLowerCase(),
        },
      }),
      nulls: 'fault',
      isHeld: true,
      check,
    };
    return this.#parts.ask({ call, scope });
  }
}

/** Fills in the hash of a height that has not been asked for lately. @throws ChainError when there is no such block */
export async function findHash(
  { number, hash }: BlockPosition,
  directory: BlockDirectory,
  scope: RequestScope,
): Promise<{ readonly number: bigint; readonly hash: string }> {
  const found = hash ?? (await directory.findByNumber(number, scope))?.hash;
  if (found === undefined) throw new ChainError('failed', 'header not found');
  return { number, hash: found };
}

function encodeRequest(request: CallRequest): EncodedRequest {
  return { block: request.block, text: JSON.stringify(request.call), overrides: encodeOverrides(request) };
}

/** Further parameters, each with its comma. Told only where there are any: not every client takes them. */
function encodeOverrides({ stateOverrides, blockOverrides }: CallRequest): string {
  if (stateOverrides === undefined && blockOverrides === undefined) return '';
  const state = JSON.stringify(stateOverrides ?? {});
  return blockOverrides === undefined ? `,${state}` : `,${state},${JSON.stringify(blockOverrides)}`;
}
