import type { BlockReference, StorageRequests } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import type { RequestScope } from '../util/request-scope.ts';
import {
  findHash,
  isPinned,
  MAX_KEY_LENGTH,
  type PinnedBlock,
  type QuestionParts,
} from './call-questions.ts';
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

/**
 * Questions about accounts: at one block for all upstreams, by its hash where nodes take one. An answer never changes as long as the block
 * is the same.
 */
export class StateQuestions {
  readonly #parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  getBalance(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText> {
    const subject = `"${address}"`;
    return this.#askText({ method: 'eth_getBalance', subject, check: checkQuantity }, block, scope);
  }

  getCode(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText> {
    const subject = `"${address}"`;
    return this.#askText({ method: 'eth_getCode', subject, check: checkData }, block, scope);
  }

  getTransactionCount(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText> {
    const subject = `"${address}"`;
    return this.#askText({ method: 'eth_getTransactionCount', subject, check: checkQuantity }, block, scope);
  }

  getStorageAt(
    address: string,
    slot: string,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonText> {
    const subject = `"${address}","${slot}"`;
    return this.#askText({ method: 'eth_getStorageAt', subject, check: checkWord }, block, scope);
  }

  /** Slot by slot where a node lacks the method, which few have. */
  getStorageValues(
    requests: StorageRequests,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonText> {
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
  ): PromiseOrValue<JsonText> {
    const subject = `"${address}",${JSON.stringify(slots)}`;
    const check = checkProof(address, slots.length);
    return this.#askText({ method: 'eth_getProof', subject, check }, block, scope);
  }

  #askText(question: StateQuestion, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText> {
    const { resolver, ask } = this.#parts;
    const resolved = resolver.resolveNow(block);
    const answer = isPinned(resolved)
      ? ask({ call: this.#routeTo(question, resolved, block), scope })
      : this.#resolveAndAsk(question, block, scope);
    return answer as PromiseOrValue<JsonText>;
  }

  async #resolveAndAsk(
    question: StateQuestion,
    block: BlockReference,
    scope: RequestScope,
  ): Promise<JsonResult> {
    const { resolver, directory, ask } = this.#parts;
    const resolved = await resolver.resolve(block, scope);
    if (resolved.kind === 'none') throw new ChainError('failed', resolved.message);
    if (resolved.kind === 'block') {
      const position = await findHash(resolved.position, directory, scope);
      const { isCanonical } = resolved;
      return ask({ call: this.#routeTo(question, { position, isCanonical }, block), scope });
    }
    return ask({ call: { ...describe(question, '"pending"'), isSticky: true, nulls: 'fault' }, scope });
  }

  #routeTo(
    question: StateQuestion,
    { position, isCanonical }: PinnedBlock,
    block: BlockReference,
  ): RoutedCall {
    const { number, hash } = position;
    const { method, subject } = question;
    const isStrict = block.kind === 'hash' && block.requireCanonical;
    const byHash = `{"blockHash":"${hash}","requireCanonical":${isStrict}}`;
    const isShort = subject.length <= MAX_KEY_LENGTH;
    return {
      ...describe(question, isCanonical ? `"${encodeQuantity(number)}"` : byHash),
      paramsByHash: `[${subject},${byHash}]`,
      block: position,
      key: isShort
        ? { blockHash: hash, question: `${this.#parts.cacheScope()}:${method}:${subject}` }
        : undefined,
      nulls: 'fault',
    };
  }
}

function describe(
  { method, subject, check, batch }: StateQuestion,
  block: JsonText,
): Pick<RoutedCall, 'method' | 'params' | 'check' | 'batch' | 'isText'> {
  return {
    method,
    params: `[${subject},${block}]`,
    check,
    batch: batch === undefined ? undefined : () => batch(block),
    isText: true,
  };
}

function listSlotReads(requests: StorageRequests, block: JsonText): NodeCall[] {
  const method = 'eth_getStorageAt';
  return [...requests].flatMap(([address, slots]) =>
    slots.map((slot) => ({ method, params: `["${address}","${slot}",${block}]` })),
  );
}
