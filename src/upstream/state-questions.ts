import { encodeBlockReference } from '../chain/block-reference.ts';
import type { BlockReference, StorageRequests } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { ResolvedBlock } from './block-resolver.ts';
import { findHash, MAX_KEY_LENGTH, type QuestionParts } from './call-questions.ts';
import { checkProof, checkStorageValues, checkWord } from './checks/check-state.ts';
import { checkData, checkQuantity } from './checks/check-values.ts';
import type { NodeCall } from './node-call.ts';
import type { RoutedCall } from './routed-call.ts';

/** A question about one account or several, apart from the block, which is always its last parameter. */
type StateQuestion = {
  readonly method: string;
  /** JSON texts of the parameters before the block. */
  readonly subject: string;
  readonly check: (result: JsonResult) => JsonResult;
  /** For nodes that lack the method. @param block JSON text */
  readonly batch?: (block: JsonText) => readonly NodeCall[];
};

/** A block whose hash is known. */
type PinnedBlock = Extract<ResolvedBlock, { kind: 'block' }>;

/**
 * Questions about accounts: at one block for all upstreams, by its hash where nodes take one. An answer never changes as long as the block
 * is the same.
 */
export class StateQuestions {
  readonly #parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  getBalance(address: string, block: BlockReference, scope: RequestScope): Promise<JsonText> {
    const subject = `"${address}"`;
    return this.#askText({ method: 'eth_getBalance', subject, check: checkQuantity }, block, scope);
  }

  getCode(address: string, block: BlockReference, scope: RequestScope): Promise<JsonText> {
    const subject = `"${address}"`;
    return this.#askText({ method: 'eth_getCode', subject, check: checkData }, block, scope);
  }

  getTransactionCount(address: string, block: BlockReference, scope: RequestScope): Promise<JsonText> {
    const subject = `"${address}"`;
    return this.#askText({ method: 'eth_getTransactionCount', subject, check: checkQuantity }, block, scope);
  }

  getStorageAt(address: string, slot: string, block: BlockReference, scope: RequestScope): Promise<JsonText> {
    const subject = `"${address}","${slot}"`;
    return this.#askText({ method: 'eth_getStorageAt', subject, check: checkWord }, block, scope);
  }

  /** Slot by slot where a node lacks the method, which few have. */
  getStorageValues(requests: StorageRequests, block: BlockReference, scope: RequestScope): Promise<JsonText> {
    const question: StateQuestion = {
      method: 'eth_getStorageValues',
      subject: JSON.stringify(Object.fromEntries(requests)),
      check: checkStorageValues(requests),
      batch: (at) => listSlotReads(requests, at),
    };
    return this.#askText(question, block, scope);
  }

  getProof(
    address: string,
    slots: readonly string[],
    block: BlockReference,
    scope: RequestScope,
  ): Promise<JsonText> {
    const subject = `"${address}",${JSON.stringify(slots)}`;
    const check = checkProof(address, slots.length);
    return this.#askText({ method: 'eth_getProof', subject, check }, block, scope);
  }

  async #askText(question: StateQuestion, block: BlockReference, scope: RequestScope): Promise<JsonText> {
    const call = await this.#route(question, block, scope);
    return (await this.#parts.ask({ call: { ...call, isText: true }, scope })) as JsonText;
  }

  async #route(question: StateQuestion, block: BlockReference, scope: RequestScope): Promise<RoutedCall> {
    const { resolver, directory } = this.#parts;
    const resolved = resolver.resolveNow(block) ?? (await resolver.resolve(block, scope));
    if (resolved.kind === 'none') throw new ChainError('failed', resolved.message);
    if (resolved.kind === 'block') {
      const position = await findHash(resolved.position, directory, scope);
      const isStrict = block.kind === 'hash' && block.requireCanonical;
      return this.#routeTo(question, { ...resolved, position }, isStrict);
    }
    return { ...describe(question, '"pending"'), isSticky: true, nulls: 'fault' };
  }

  #routeTo(question: StateQuestion, block: PinnedBlock, isStrict: boolean): RoutedCall {
    const { number, hash } = block.position as { readonly number: bigint; readonly hash: string };
    const { method, subject } = question;
    const byHash = encodeReference({ kind: 'hash', hash, requireCanonical: isStrict });
    return {
      ...describe(question, block.isCanonical ? encodeReference({ kind: 'number', number }) : byHash),
      paramsByHash: `[${subject},${byHash}]`,
      block: { number, hash },
      ...(subject.length <= MAX_KEY_LENGTH && {
        key: { blockHash: hash, question: `${this.#parts.cacheScope()}:${method}:${subject}` },
      }),
      nulls: 'fault',
    };
  }
}

function describe(
  { method, subject, check, batch }: StateQuestion,
  block: JsonText,
): Pick<RoutedCall, 'method' | 'params' | 'check' | 'batch'> {
  return {
    method,
    params: `[${subject},${block}]`,
    check,
    ...(batch !== undefined && { batch: () => batch(block) }),
  };
}

function encodeReference(block: BlockReference): JsonText {
  return JSON.stringify(encodeBlockReference(block));
}

function listSlotReads(requests: StorageRequests, block: JsonText): NodeCall[] {
  const method = 'eth_getStorageAt';
  return [...requests].flatMap(([address, slots]) =>
    slots.map((slot) => ({ method, params: `["${address}","${slot}",${block}]` })),
  );
}
