import type { AccessListForm, BlockReference, HeaderView, RawPart } from '../chain/chain.ts';
import { ChainError } from '../chain/errors.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../primitives/promise-or-value.ts';
import { encodeQuantity, parseQuantity } from '../primitives/quantity.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { BlockAccess, type FoundBlock } from './block-access.ts';
import type { ResolvedBlock } from './block-resolver.ts';
import type { QuestionParts } from './call-questions.ts';
import { checkBlock } from './checks/check-block.ts';
import { checkBlockAccessList } from './checks/check-block-access-list.ts';
import { checkUncle } from './checks/check-parts.ts';
import { checkRawHeader, checkRawReceipts } from './checks/check-raw.ts';
import { checkReceipts } from './checks/check-receipts.ts';
import { parseObject } from './checks/check-values.ts';
import type { Block, BlockHeader } from './heads/block.ts';
import type { NodeCall } from './node-call.ts';
import type { NullMeaning, RoutedCall } from './routed-call.ts';

const RAW_METHODS: Readonly<Record<RawPart, string>> = {
  block: 'debug_getRawBlock',
  header: 'debug_getRawHeader',
  receipts: 'debug_getRawReceipts',
};

const ACCESS_LIST_METHODS: Readonly<Record<AccessListForm, string>> = {
  objects: 'eth_getBlockAccessList',
  raw: 'debug_getRawBlockAccessList',
};

/**
 * Questions about blocks. The directory knows how many transactions and uncles a block has and which
 * they are: what lies past the end is null without asking, what comes must be what the block lists, and a null for
 * what it lists is a fault.
 */
export class BlockQuestions {
  readonly #parts: QuestionParts;
  readonly #access: BlockAccess;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
    this.#access = new BlockAccess(parts);
  }

  /** The same object is kept for all names of a block. One by hash is given whatever block is served at its height. */
  getBlock(
    reference: BlockReference,
    hasTransactions: boolean,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null> {
    if (reference.kind === 'hash') return this.#getBlockByHash(reference.hash, hasTransactions, scope);
    return continueWith(this.#parts.resolver.resolveSoon(reference, scope), (resolved) =>
      this.#getResolvedBlock(resolved, hasTransactions, scope),
    );
  }

  /** Nodes need not have `eth_getHeaderByNumber`: what a block object has besides the header is taken away. */
  async getHeaderObject(reference: BlockReference, scope: RequestScope): Promise<JsonText | null> {
    if (reference.kind === 'tag' && reference.tag === 'pending') return null;
    const block = await this.getBlock(reference, false, scope);
    return block === null ? null : takeHeader(block as JsonText);
  }

  /** Asked of every node before it is null: one alone may have a block that left the chain. */
  async findHeaderObject(hash: string, scope: RequestScope): Promise<JsonText | null> {
    const block = await this.#getBlockByHash(hash, false, scope, 'certain');
    return block === null ? null : takeHeader(block as JsonText);
  }

  async countTransactions(reference: BlockReference, scope: RequestScope): Promise<JsonText | null> {
    const found = await this.#access.find(reference, scope);
    if (found === 'pending') {
      return this.#access.askPending('eth_getBlockTransactionCountByNumber', [], scope);
    }
    return found && `"${encodeQuantity(found.block.transactionHashes.length)}"`;
  }

  async countUncles(reference: BlockReference, scope: RequestScope): Promise<JsonText | null> {
    const found = await this.#access.find(reference, scope);
    if (found === 'pending') return '"0x0"';
    return found && `"${encodeQuantity(found.block.uncleHashes.length)}"`;
  }

  getReceipts(reference: BlockReference, scope: RequestScope): PromiseOrValue<JsonResult | null> {
    return continueWith(this.#access.find(reference, scope), (found) => {
      if (found === 'pending') return this.#access.askPending('eth_getBlockReceipts', [], scope);
      return found && this.#getFoundReceipts(found, scope);
    });
  }

  #getFoundReceipts({ block, isCanonical }: FoundBlock, scope: RequestScope): PromiseOrValue<JsonResult> {
    const method = 'eth_getBlockReceipts';
    if (block.transactionHashes.length === 0) return '[]';
    const name = isCanonical ? encodeQuantity(block.number) : block.hash;
    const call: RoutedCall = {
      ...this.#access.about(method, block, [name]),
      batch: () => listReceipts(block),
      takesBytes: true,
      check: checkReceipts(block),
    };
    return this.#parts.ask({ call, scope });
  }

  async getUncle(reference: BlockReference, index: bigint, scope: RequestScope): Promise<JsonText | null> {
    const resolved = await this.#parts.resolver.resolve(reference, scope);
    // A pending block has no uncles: it is not sealed (geth answers null too).
    if (resolved.kind !== 'block' || this.#parts.directory.isMergedAt(resolved.position.number)) return null;
    const block = await this.#access.findResolved(resolved, scope);
    if (block === null || index >= block.uncleHashes.length) return null;
    const found = { block, isCanonical: resolved.isCanonical };
    const call = this.#access.aboutIndex('eth_getUncle', found, index);
    return this.#access.askText({ ...call, check: checkUncle(block, Number(index)) }, scope);
  }

  async getRaw(reference: BlockReference, part: RawPart, scope: RequestScope): Promise<JsonResult | null> {
    const found = await this.#access.find(reference, scope);
    if (found === 'pending' || found === null) return null;
    const { block, isCanonical } = found;
    const byHash = [{ blockHash: block.hash }];
    const call: RoutedCall = {
      ...this.#access.about(RAW_METHODS[part], block, isCanonical ? [encodeQuantity(block.number)] : byHash),
      paramsByHash: JSON.stringify(byHash),
      isHeld: true,
      // Receipts do not say which block they are of.
      isBound: part !== 'receipts',
      check: part === 'receipts' ? checkRawReceipts(block) : checkRawHeader(block, part),
    };
    return this.#parts.ask({ call, scope });
  }

  /** Nodes that have only the other form are asked for that one. */
  async getAccessList(
    reference: BlockReference,
    form: AccessListForm,
    scope: RequestScope,
  ): Promise<JsonText | null> {
    const found = await this.#access.find(reference, scope);
    if (found === 'pending' || found === null) return null;
    const { block, isCanonical } = found;
    const { blockAccessListHash } = block;
    if (blockAccessListHash === undefined) throw new ChainError('absent', 'the block has no access list');
    const params = [isCanonical ? encodeQuantity(block.number) : block.hash];
    const other = ACCESS_LIST_METHODS[form === 'raw' ? 'objects' : 'raw'];
    const call: RoutedCall = {
      ...this.#access.about(ACCESS_LIST_METHODS[form], block, params),
      batch: () => [{ method: other, params: JSON.stringify(params) }],
      check: checkBlockAccessList(blockAccessListHash, form),
    };
    return this.#access.askText(call, scope);
  }

  getHeader(reference: BlockReference, scope: RequestScope): PromiseOrValue<HeaderView | null> {
    return continueWith(this.#parts.resolver.resolveSoon(reference, scope), (resolved) => {
      if (resolved.kind === 'pending') return this.#getPendingHeader(scope);
      const known = this.#findKnownHeader(resolved);
      return continueWith(known ?? this.#access.findResolved(resolved, scope), (header) =>
        header === null ? null : viewOf(header),
      );
    });
  }

  #findKnownHeader(resolved: ResolvedBlock): BlockHeader | undefined {
    if (resolved.kind !== 'block' || !resolved.isCanonical) return undefined;
    const { number, hash } = resolved.position;
    const header = this.#parts.directory.headerOf(number);
    return hash === undefined || header?.hash === hash ? header : undefined;
  }

  #getResolvedBlock(
    resolved: ResolvedBlock,
    isFull: boolean,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null> {
    const method = 'eth_getBlockByNumber';
    if (resolved.kind === 'pending') return this.#access.askPending(method, [isFull], scope);
    if (resolved.kind === 'none') return null;
    const { number, hash: known } = resolved.position;
    const found = known ?? this.#parts.directory.findByNumber(number, scope);
    return continueWith<string | Block | null, JsonResult | null>(found, (block) => {
      const hash = typeof block === 'string' ? block : block?.hash;
      if (hash === undefined) return null;
      const params = JSON.stringify([encodeQuantity(number), isFull]);
      return this.#askBlock({ method, params, block: { number, hash }, nulls: 'doubt' }, hash, isFull, scope);
    });
  }

  #getBlockByHash(
    hash: string,
    isFull: boolean,
    scope: RequestScope,
    nulls: NullMeaning = 'claim',
  ): PromiseOrValue<JsonResult | null> {
    const params = JSON.stringify([hash, isFull]);
    const route = this.#parts.directory.route(hash, nulls);
    return this.#askBlock({ method: 'eth_getBlockByHash', params, ...route }, hash, isFull, scope);
  }

  #askBlock(
    call: Pick<RoutedCall, 'method' | 'params' | 'nulls' | 'block'>,
    hash: string,
    isFull: boolean,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null> {
    const answer = this.#parts.ask({
      call: {
        ...call,
        key: { blockHash: hash, question: `${this.#parts.cacheScope()}:block:${isFull}` },
        isBound: true,
        ...(isFull ? { isHeld: true, takesBytes: true } : { isText: true }),
        check: checkBlock(hash, this.#parts.directory.findKnown(hash)),
      },
      scope,
    });
    return continueWith(answer, (found) => (found === 'null' ? null : found));
  }

  async #getPendingHeader(scope: RequestScope): Promise<HeaderView | null> {
    const answer = await this.#access.askPending('eth_getBlockByNumber', [false], scope);
    return answer === null ? null : parsePendingHeader(answer);
  }
}

/** What a block object has that is not of its header. */
const BODY_FIELDS: readonly string[] = ['totalDifficulty', 'size', 'transactions', 'uncles', 'withdrawals'];

function takeHeader(block: JsonText): JsonText {
  const fields = Object.entries(parseObject(block)).filter(([name]) => !BODY_FIELDS.includes(name));
  return JSON.stringify(Object.fromEntries(fields));
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
