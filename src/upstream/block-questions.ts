import type { BlockReference, HeaderView } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { encodeQuantity, parseQuantity } from '../primitives/quantity.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { ResolvedBlock } from './block-resolver.ts';
import type { QuestionParts } from './call-questions.ts';
import { checkTransaction, checkUncle } from './checks/check-parts.ts';
import { checkReceipts } from './checks/check-receipts.ts';
import { parseObject } from './checks/check-values.ts';
import type { Block, BlockHeader } from './heads/block.ts';
import type { NodeCall } from './node-call.ts';
import type { RoutedCall } from './routed-call.ts';

/**
 * Questions about the contents of blocks. The directory knows how many transactions and uncles a block has and which
 * they are: what lies past the end is null without asking, what comes must be what the block lists, and a null for
 * what it lists is a fault.
 */
export class BlockQuestions {
  readonly #parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  async getReceipts(reference: BlockReference, scope: RequestScope): Promise<JsonResult | null> {
    const method = 'eth_getBlockReceipts';
    const resolved = await this.#parts.resolver.resolve(reference, scope);
    if (resolved.kind === 'pending') return this.#askPending(method, [], scope);
    const block = await this.#findBlock(resolved, scope);
    if (block === null) return null;
    if (block.transactionHashes.length === 0) return '[]';
    const name =
      resolved.kind === 'block' && !resolved.isCanonical ? block.hash : encodeQuantity(block.number);
    const call: RoutedCall = {
      ...this.#about(method, block, [name]),
      batch: () => listReceipts(block),
      check: checkReceipts(block),
    };
    return this.#parts.ask({ call, scope });
  }

  async getTransaction(
    reference: BlockReference,
    index: bigint,
    scope: RequestScope,
  ): Promise<JsonText | null> {
    const method = 'eth_getTransactionByBlockNumberAndIndex';
    const resolved = await this.#parts.resolver.resolve(reference, scope);
    if (resolved.kind === 'pending') return this.#askPending(method, [encodeQuantity(index)], scope);
    const block = await this.#findBlock(resolved, scope);
    if (block === null || index >= block.transactionHashes.length) return null;
    const params = [encodeQuantity(block.number), encodeQuantity(index)];
    const check = checkTransaction(block, Number(index));
    return this.#askText({ ...this.#about(method, block, params), check }, scope);
  }

  async getUncle(reference: BlockReference, index: bigint, scope: RequestScope): Promise<JsonText | null> {
    const method = 'eth_getUncleByBlockNumberAndIndex';
    const resolved = await this.#parts.resolver.resolve(reference, scope);
    // A pending block has no uncles: it is not sealed (geth answers null too).
    if (resolved.kind !== 'block' || this.#parts.directory.isMergedAt(resolved.position.number)) return null;
    const block = await this.#findBlock(resolved, scope);
    if (block === null || index >= block.uncleHashes.length) return null;
    const params = [encodeQuantity(block.number), encodeQuantity(index)];
    return this.#askText(
      { ...this.#about(method, block, params), check: checkUncle(block, Number(index)) },
      scope,
    );
  }

  async getHeader(reference: BlockReference, scope: RequestScope): Promise<HeaderView | null> {
    const { resolver } = this.#parts;
    if (reference.kind === 'tag' && reference.tag === 'latest') return viewOf(await resolver.getHead(scope));
    const resolved = await resolver.resolve(reference, scope);
    if (resolved.kind === 'pending') return this.#getPendingHeader(scope);
    const known = this.#findKnownHeader(resolved);
    if (known !== undefined) return viewOf(known);
    const block = await this.#findBlock(resolved, scope);
    return block === null ? null : viewOf(block);
  }

  #findKnownHeader(resolved: ResolvedBlock): BlockHeader | undefined {
    if (resolved.kind !== 'block' || !resolved.isCanonical) return undefined;
    const { number, hash } = resolved.position;
    const header = this.#parts.directory.headerOf(number);
    return hash === undefined || header?.hash === hash ? header : undefined;
  }

  /** A question whose answer never changes as long as the block is the same. */
  #about(method: string, { number, hash }: Block, params: readonly string[]): RoutedCall {
    const text = JSON.stringify(params);
    return {
      method,
      params: text,
      block: { number, hash },
      key: { blockHash: hash, question: `${this.#parts.cacheScope()}:${method}:${text}` },
      nulls: 'fault',
      isBound: true,
    };
  }

  async #findBlock(resolved: ResolvedBlock, scope: RequestScope): Promise<Block | null> {
    if (resolved.kind !== 'block') return null;
    const { number, hash } = resolved.position;
    if (!resolved.isCanonical && hash !== undefined) return this.#parts.directory.findByHash(hash, scope);
    return this.#parts.directory.findByNumber(number, scope);
  }

  async #askText(call: RoutedCall, scope: RequestScope): Promise<JsonText> {
    return (await this.#parts.ask({ call: { ...call, isText: true }, scope })) as JsonText;
  }

  async #askPending(method: string, rest: readonly string[], scope: RequestScope): Promise<JsonText | null> {
    const params = JSON.stringify(['pending', ...rest]);
    const answer = await this.#askText({ method, params, isSticky: true, nulls: 'truth' }, scope);
    return answer === 'null' ? null : answer;
  }

  async #getPendingHeader(scope: RequestScope): Promise<HeaderView | null> {
    const call: RoutedCall = {
      method: 'eth_getBlockByNumber',
      params: '["pending",false]',
      isSticky: true,
      nulls: 'truth',
    };
    const answer = await this.#askText(call, scope);
    return answer === 'null' ? null : parsePendingHeader(answer);
  }
}

function viewOf({ number, hash, timestamp, gasLimit, baseFeePerGas, extraData }: BlockHeader): HeaderView {
  return {
    number,
    hash,
    timestamp,
    gasLimit,
    extraData,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
  };
}

/** For nodes without `eth_getBlockReceipts`: the receipts one by one. */
function listReceipts({ transactionHashes }: Block): readonly NodeCall[] {
  const method = 'eth_getTransactionReceipt';
  return transactionHashes.map((hash) => ({ method, params: `["${hash}"]` }));
}

/** A pending block may lack number and hash; what it has must be right. */
function parsePendingHeader(answer: JsonText): HeaderView {
  const header = parseObject(answer);
  const read = (field: string): bigint => parseQuantity(String(header[field]), 256);
  try {
    return {
      number: read('number'),
      timestamp: read('timestamp'),
      gasLimit: read('gasLimit'),
      extraData: typeof header['extraData'] === 'string' ? header['extraData'] : '0x',
      ...(typeof header['baseFeePerGas'] === 'string' && { baseFeePerGas: read('baseFeePerGas') }),
    };
  } catch {
    throw new ChainError('unavailable', 'the pending block of the node cannot be read');
  }
}
