import { encodeBlockReference } from '../chain/block-reference.ts';
import type { CallRequest, CallScope } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import type { BlockDirectory } from './block-directory.ts';
import type { BlockResolver, ResolvedBlock } from './block-resolver.ts';
import { checkData, checkQuantity } from './checks/check-values.ts';
import type { BlockPosition, Handler, RoutedCall } from './routed-call.ts';

export type QuestionParts = {
  readonly chainId: bigint;
  readonly ask: Handler;
  readonly resolver: BlockResolver;
  readonly directory: BlockDirectory;
};

/** `eth_call` and `eth_estimateGas`: at one block for all upstreams, by its hash where nodes take one. */
export class CallQuestions {
  readonly #parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  call(request: CallRequest, scope: CallScope): Promise<JsonText> {
    return this.#ask('eth_call', request, checkData, scope);
  }

  estimateGas(request: CallRequest, scope: CallScope): Promise<JsonText> {
    return this.#ask('eth_estimateGas', request, checkQuantity, scope);
  }

  async #ask(
    method: string,
    request: CallRequest,
    check: (result: JsonResult) => JsonResult,
    scope: CallScope,
  ): Promise<JsonText> {
    const resolved = await this.#parts.resolver.resolve(request.block, scope);
    const call = await this.#build(method, request, resolved, scope);
    return (await this.#parts.ask({ call: { ...call, isText: true, check }, scope })) as JsonText;
  }

  async #build(
    method: string,
    request: CallRequest,
    resolved: ResolvedBlock,
    scope: CallScope,
  ): Promise<RoutedCall> {
    if (resolved.kind === 'none') throw new ChainError('failed', resolved.message);
    const encode = (block: string): JsonText => encodeCallParams(request, block);
    if (resolved.kind === 'pending') {
      return { method, params: encode('"pending"'), isSticky: true, nulls: 'fault' };
    }
    const position = await findHash(resolved.position, this.#parts.directory, scope);
    const { number, hash } = position;
    const question = `${this.#parts.chainId}:${method}:${encode('').toLowerCase()}`;
    const byHash = encode(JSON.stringify(encodeBlockReference(nameByHash(request, hash))));
    return {
      method,
      params: resolved.isCanonical
        ? encode(JSON.stringify(encodeBlockReference({ kind: 'number', number })))
        : byHash,
      paramsByHash: byHash,
      block: position,
      key: { blockHash: hash, question },
      nulls: 'fault',
    };
  }
}

/** Fills in the hash of a height that has not been asked for lately. @throws ChainError when there is no such block */
export async function findHash(
  { number, hash }: BlockPosition,
  directory: BlockDirectory,
  scope: CallScope,
): Promise<{ readonly number: bigint; readonly hash: string }> {
  const found = hash ?? (await directory.findByNumber(number, scope))?.hash;
  if (found === undefined) throw new ChainError('failed', 'header not found');
  return { number, hash: found };
}

function nameByHash({ block }: CallRequest, hash: string): CallRequest['block'] {
  return block.kind === 'hash' ? block : { kind: 'hash', hash, requireCanonical: false };
}

/** Overrides are told only where there are any: not every client takes them. `block` is JSON text. */
function encodeCallParams({ call, stateOverrides, blockOverrides }: CallRequest, block: JsonText): JsonText {
  const params = [JSON.stringify(call), block];
  if (stateOverrides !== undefined || blockOverrides !== undefined) {
    params.push(JSON.stringify(stateOverrides ?? {}));
  }
  if (blockOverrides !== undefined) params.push(JSON.stringify(blockOverrides));
  return `[${params.join(',')}]`;
}
