import type { BlockReference, FeeHistoryRequest } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import { quantity } from '../chain/json-values.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { findHash, type QuestionParts } from './call-questions.ts';
import { checkFeeHistory } from './checks/check-fees.ts';
import { checkQuantity } from './checks/check-values.ts';
import { parseObjectInTurns } from './checks/parse-object.ts';
import type { HeadQuestions } from './head-questions.ts';
import type { RoutedCall } from './routed-call.ts';

const HEAD_ALONE: FeeHistoryRequest = {
  blockCount: 1,
  newest: { kind: 'tag', tag: 'latest' },
  percentiles: [],
};
const HEX = /^0x[0-9a-fA-F]{1,64}$/;
/** Null is what geth says of a price that the chain does not have. */
const MAYBE_PRICE = { nulls: 'truth', check: checkNullOrQuantity } as const;

/** Prices of gas. Those of the next block are part of the history of fees, which more nodes have than a method for each. */
export class FeeQuestions {
  readonly #parts: QuestionParts;
  readonly #heads: HeadQuestions;

  constructor(parts: QuestionParts, heads: HeadQuestions) {
    this.#parts = parts;
    this.#heads = heads;
  }

  getGasPrice(scope: RequestScope): Promise<JsonText | null> {
    return this.#heads.ask({ method: 'eth_gasPrice', check: checkQuantity, nulls: 'fault' }, scope);
  }

  getPriorityFee(scope: RequestScope): Promise<JsonText | null> {
    return this.#heads.ask(
      { method: 'eth_maxPriorityFeePerGas', check: checkQuantity, nulls: 'fault' },
      scope,
    );
  }

  /** At the block that the newest one is now; `pending` is whatever one node has in mind. */
  async getFeeHistory(request: FeeHistoryRequest, scope: RequestScope): Promise<JsonText | null> {
    const { blockCount, newest, percentiles } = request;
    const resolved = await this.#parts.resolver.resolve(newest, scope);
    const method = 'eth_feeHistory';
    const encode = (block: string): string =>
      JSON.stringify([encodeQuantity(blockCount), block, percentiles]);
    if (resolved.kind === 'pending') {
      return this.#heads.askUnkept(
        { method, params: encode('pending'), isSticky: true, isText: true, nulls: 'fault' },
        scope,
      );
    }
    if (resolved.kind === 'none') throw await this.#explainNone(newest, resolved.message, scope);
    const position = await findHash(resolved.position, this.#parts.directory, scope);
    const { number, hash } = position;
    const params = encode(encodeQuantity(number));
    const call: RoutedCall = {
      method,
      params,
      block: position,
      key: { blockHash: hash, question: `${this.#parts.cacheScope()}:${method}:${params}` },
      isText: true,
      nulls: 'fault',
      check: checkFeeHistory(number, blockCount),
    };
    return this.#heads.askOnce(this.#heads.nameOf(hash, `${method}:${params}`), call, scope);
  }

  /** geth's meaning, whichever client answers: the base fee of the block after the served head. */
  async getBaseFee(scope: RequestScope): Promise<JsonText | null> {
    const { baseFeePerGas: current } = await this.#parts.resolver.getHead(scope);
    const next = await this.#readHistory('baseFeePerGas', 1, scope);
    if (next === undefined) return this.#heads.ask({ ...MAYBE_PRICE, method: 'eth_baseFee' }, scope);
    return next === 0n && current === undefined ? 'null' : quantity(next);
  }

  /** geth's meaning, whichever client answers: the price in the served head itself. */
  async getBlobBaseFee(scope: RequestScope): Promise<JsonText | null> {
    const price = await this.#readHistory('baseFeePerBlobGas', 0, scope);
    if (price === undefined) return this.#heads.ask({ ...MAYBE_PRICE, method: 'eth_blobBaseFee' }, scope);
    return price === 0n ? 'null' : quantity(price);
  }

  /** A member of a list in the history of the head alone; undefined where nodes do not have it. */
  async #readHistory(list: string, at: number, scope: RequestScope): Promise<bigint | undefined> {
    const history = await this.getFeeHistory(HEAD_ALONE, scope);
    const values = history === null ? undefined : (await parseObjectInTurns(history, scope))[list];
    const value: unknown = Array.isArray(values) ? values[at] : undefined;
    return typeof value === 'string' && HEX.test(value) ? BigInt(value) : undefined;
  }

  async #explainNone(newest: BlockReference, message: string, scope: RequestScope): Promise<ChainError> {
    if (newest.kind !== 'number') return new ChainError('failed', message);
    const { number: head } = await this.#parts.resolver.getHead(scope);
    return new ChainError('failed', `request beyond head block: requested ${newest.number}, head ${head}`);
  }
}

function checkNullOrQuantity(result: JsonResult): JsonResult {
  return result === 'null' ? result : checkQuantity(result);
}
