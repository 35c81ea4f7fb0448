import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { ChainError } from '../../chain/errors.ts';
import { quantity } from '../../chain/json-values.ts';
import type { BlockReference, FeeHistoryRequest } from '../../chain/requests.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { UpstreamRequest } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { TooFewVoices } from './agreement/send-to-voices.ts';
import { findHash, type RequestParts } from './call-requests.ts';
import { checkFeeHistory, trimFeeHistory } from './checks/check-fees.ts';
import { checkQuantity } from './checks/check-values.ts';
import { parseObject, parseObjectInSlots } from './checks/parse-object.ts';
import type { DerivedPrice, DerivedPrices } from './derived-prices.ts';
import type { HeadRequests } from './head-requests.ts';

const HEAD_ALONE: FeeHistoryRequest = {
  blockCount: 1,
  newest: { kind: 'tag', tag: 'latest' },
  percentiles: [],
};
/** Maximum length of a fee history of one block, UTF-16 units; it leaves room for additional members of some chains. */
const MAX_HEAD_HISTORY = 16_384;
const HEX = /^0x[0-9a-fA-F]{1,64}$/;
/** Check of a price that may be null, because geth returns null for a price that the chain does not have. */
const MAYBE_PRICE = { nulls: 'truth', check: checkNullOrQuantity } as const;

/**
 * Requests for gas prices. Base fee and blob price are read from `eth_feeHistory`, because more nodes support it than `eth_baseFee` and
 * `eth_blobBaseFee`.
 */
export class FeeRequests {
  readonly #parts: RequestParts;
  readonly #heads: HeadRequests;
  readonly #proven: DerivedPrices;

  constructor(parts: RequestParts, heads: HeadRequests, proven: DerivedPrices) {
    this.#parts = parts;
    this.#heads = heads;
    this.#proven = proven;
  }

  getGasPrice(scope: RequestScope): Promise<JsonText | null> {
    return this.#getReply('eth_gasPrice', ({ tip, baseFee }) => tip + baseFee, scope);
  }

  getPriorityFee(scope: RequestScope): Promise<JsonText | null> {
    return this.#getReply('eth_maxPriorityFeePerGas', ({ tip }) => tip, scope);
  }

  /**
   * Returns the price that a node reports, which differs between clients. If agreement is mandatory and too few operators report the same price, the
   * price is computed by geth's rule from verified blocks.
   * @param toPrice returns the method's price from the computed prices, wei
   */
  async #getReply(
    method: string,
    toPrice: (price: DerivedPrice) => bigint,
    scope: RequestScope,
  ): Promise<JsonText | null> {
    const query = { method, check: checkQuantity, nulls: 'fault' } as const;
    if (this.#parts.sendToVoices === undefined) return this.#heads.ask(query, scope);
    const head = await this.#parts.resolver.getHead(scope);
    const known = this.#proven.findKnown(head);
    if (known !== undefined) return this.#readVerified(known, toPrice, scope);
    try {
      return await this.#heads.ask(query, scope);
    } catch (error) {
      if (!(error instanceof TooFewVoices)) throw error;
      return this.#readVerified(this.#proven.compute(head, scope.owner), toPrice, scope, error);
    }
  }

  async #readVerified(
    computed: Promise<DerivedPrice>,
    toPrice: (price: DerivedPrice) => bigint,
    scope: RequestScope,
    refusal?: TooFewVoices,
  ): Promise<JsonText> {
    scope.hasCalledNode = true;
    try {
      const price = await computed;
      scope.noteTrust(price.trust);
      return quantity(toPrice(price));
    } catch (error) {
      if (!(error instanceof UpstreamFault || error instanceof ChainError)) throw error;
      const why = refusal === undefined ? '' : `${refusal.message}, and `;
      throw new ChainError(
        'unavailable',
        `${why}no price can be computed from verified blocks: ${error.message}; with verify: auto, the price of one node is served`,
      );
    }
  }

  /** Returns the fee history up to the block to which `newest` resolves; for `pending`, this is the pending block of one node. */
  async getFeeHistory(request: FeeHistoryRequest, scope: RequestScope): Promise<JsonText | null> {
    const { blockCount, newest, percentiles } = request;
    const resolved = await this.#parts.resolver.resolve(newest, scope);
    const method = 'eth_feeHistory';
    const encode = (block: string): string =>
      JSON.stringify([encodeQuantity(blockCount), block, percentiles]);
    if (resolved.kind === 'pending') {
      return this.#heads.requestUncached(
        {
          method,
          params: encode('pending'),
          isSticky: true,
          isText: true,
          nulls: 'fault',
          check: trimFeeHistory,
        },
        scope,
      );
    }
    if (resolved.kind === 'none') throw await this.#explainNone(newest, resolved.message, scope);
    const position = await findHash(resolved.position, this.#parts.directory, scope);
    const { number, hash } = position;
    const params = encode(encodeQuantity(number));
    const call: UpstreamRequest = {
      method,
      params,
      block: position,
      key: { blockHash: hash, request: `${this.#parts.cacheScope()}:${method}:${params}` },
      isText: true,
      nulls: 'fault',
      check: checkFeeHistory(number, blockCount),
    };
    return this.#heads.requestOnce(this.#heads.nameOf(hash, `${method}:${params}`), call, scope);
  }

  /** Returns the base fee of the block after the served head, which is geth's definition of `eth_baseFee`. */
  async getBaseFee(scope: RequestScope): Promise<JsonText | null> {
    const { baseFeePerGas: current } = await this.#parts.resolver.getHead(scope);
    const next = await this.#readHistory('baseFeePerGas', 1, scope);
    if (next === undefined) return this.#heads.ask({ ...MAYBE_PRICE, method: 'eth_baseFee' }, scope);
    return next === 0n && current === undefined ? 'null' : quantity(next);
  }

  /** Returns the blob price in the served head itself, which is geth's definition of `eth_blobBaseFee`. */
  async getBlobBaseFee(scope: RequestScope): Promise<JsonText | null> {
    const price = await this.#readHistory('baseFeePerBlobGas', 0, scope);
    if (price === undefined) return this.#heads.ask({ ...MAYBE_PRICE, method: 'eth_blobBaseFee' }, scope);
    return price === 0n ? 'null' : quantity(price);
  }

  /** Returns the item at index `at` of the list `list` in the fee history of the head, wei. Returns undefined if no node reports this item. */
  async #readHistory(list: string, at: number, scope: RequestScope): Promise<bigint | undefined> {
    if (this.#parts.sendToVoices !== undefined) return this.#readAgreed(list, at, scope);
    const history = await this.getFeeHistory(HEAD_ALONE, scope);
    return history === null ? undefined : readPrice(await parseObjectInSlots(history, scope), list, at);
  }

  /**
   * Does the same as `#readHistory` if agreement is mandatory. Only this item is compared between operators, because clients differ in other members
   * of a fee history.
   */
  async #readAgreed(list: string, at: number, scope: RequestScope): Promise<bigint | undefined> {
    const { number, hash } = await this.#parts.resolver.getHead(scope);
    const checkHistory = checkFeeHistory(number, HEAD_ALONE.blockCount);
    const method = 'eth_feeHistory';
    const call: UpstreamRequest = {
      method,
      params: JSON.stringify([encodeQuantity(HEAD_ALONE.blockCount), encodeQuantity(number), []]),
      block: { number, hash },
      isText: true,
      nulls: 'truth',
      check(result) {
        const history = checkHistory(result);
        if (typeof history !== 'string' || history.length > MAX_HEAD_HISTORY)
          throw new UpstreamFault('wrong', 'the fee history of one block is too long');
        const price = readPrice(parseObject(history), list, at);
        return price === undefined ? 'null' : quantity(price);
      },
    };
    const name = this.#heads.nameOf(hash, `${method}:${list}`);
    const price = await this.#heads.requestOnce(name, call, scope);
    return price === null || price === 'null' ? undefined : BigInt(price.slice(1, -1));
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

function readPrice(history: Readonly<Record<string, unknown>>, list: string, at: number): bigint | undefined {
  const values = history[list];
  const value: unknown = Array.isArray(values) ? values[at] : undefined;
  return typeof value === 'string' && HEX.test(value) ? BigInt(value) : undefined;
}
