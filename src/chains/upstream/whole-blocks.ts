import {
  isComplete,
  type JsonResult,
  type JsonText,
  textOf,
} from '../../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { Members, Subject } from '../../../packages/proofs/findings.ts';
import { NO_UNCLES } from '../../../packages/proofs/header-forms.ts';
import { asText } from '../../../packages/proofs/members.ts';
import type { VerifiedHeader } from '../../../packages/proofs/verify-block.ts';
import type { CacheKey } from '../../cache/cache.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { UpstreamRequest } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { BlockAccess } from './block-access.ts';
import type { RequestParts } from './call-requests.ts';
import { checkBlock } from './checks/check-block.ts';
import { parseObjectInSlots } from './checks/parse-object.ts';
import { UncleProofs } from './uncle-proofs.ts';
import type { RequestMore, VerifiedBlock } from './verifying/verified-blocks.ts';

/** Members of a block request that depend on how the client named the block. */
export type BlockRequest = Pick<UpstreamRequest, 'method' | 'params' | 'nulls' | 'block'>;

/** Number and hash of a block. */
type KnownBlock = { readonly number: bigint; readonly hash: string };

/** Parts of a block (`Subject`) that must be verified before the block is cached as verified. */
const CACHED_SUBJECTS: readonly Subject[] = ['header', 'transactions', 'withdrawals'];

/** Requests blocks as objects, and verifies them. */
export class WholeBlocks {
  readonly #parts: RequestParts;
  readonly #uncles: UncleProofs;

  constructor(parts: RequestParts) {
    this.#parts = parts;
    this.#uncles = new UncleProofs(parts, new BlockAccess(parts));
  }

  /**
   * Returns the block with this hash; null if there is none. If a node lists wrong uncle hashes, another node is tried.
   * @param isFull true for whole transactions; the block may then be large
   * @param keyAs cache key that replaces the default key
   * @param isDrained true if a streamed block is read to its end only for verification; the result is then an empty stream
   */
  ask(
    request: BlockRequest,
    hash: string,
    isFull: boolean,
    scope: RequestScope,
    keyAs?: CacheKey,
    isDrained = false,
  ): PromiseOrValue<JsonResult | null> {
    return continueWith<JsonResult | null, JsonResult | null>(
      this.#requestOnce(request, hash, isFull, scope, keyAs, isDrained),
      (block) => {
        const lacksUncles = this.#parts.proofs?.verifier?.lacksUncles(hash) === true;
        if (block === null || !lacksUncles || !isComplete(block)) return block;
        return this.#compareUncles(block, request, hash, isFull, scope, keyAs);
      },
    );
  }

  /** Returns the hashes of the uncles to which a block's header commits; undefined if they are unverifiable. */
  async listUncles(
    block: KnownBlock,
    isCanonical: boolean,
    scope: RequestScope,
  ): Promise<readonly string[] | undefined> {
    const proven = await this.prove(block, isCanonical, scope);
    if (proven === undefined) return undefined;
    const known = this.#parts.proofs?.blocks?.unclesOf(block.hash);
    return known ?? this.#findUncles(proven.header, proven.header.unclesHash, scope);
  }

  /** Requests the uncles to which a header commits, and stores their hashes. Returns undefined if no node has uncles that match the header. */
  async #findUncles(
    block: KnownBlock,
    committed: string,
    scope: RequestScope,
  ): Promise<readonly string[] | undefined> {
    const found = await this.#uncles.find(block, committed, scope);
    if (found !== undefined) this.#parts.proofs?.blocks?.noteUncles(block.hash, found);
    return found;
  }

  async #compareUncles(
    block: JsonResult,
    request: BlockRequest,
    hash: string,
    isFull: boolean,
    scope: RequestScope,
    keyAs: CacheKey | undefined,
  ): Promise<JsonResult | null> {
    const { blocks } = this.#parts.proofs ?? {};
    const header = blocks?.find(hash)?.header;
    if (blocks === undefined || header === undefined || !isComplete(block)) return block;
    const text = textOf(block);
    const { uncles } = await parseObjectInSlots(text, scope);
    const found = await this.#findUncles({ number: header.number, hash }, header.unclesHash, scope);
    if (found === undefined) return block;
    if (isSameList(uncles, found)) {
      const { key, isKept } = this.#naming(request, hash, isFull, keyAs);
      if (isKept()) this.#parts.keep(key, text);
      return block;
    }
    blocks.uncertainty(hash);
    return this.#requestOnce(request, hash, isFull, scope);
  }

  /** Requests a block; does not use the cache if a cached list of uncles was refuted. */
  #requestOnce(
    request: BlockRequest,
    hash: string,
    isFull: boolean,
    scope: RequestScope,
    keyAs?: CacheKey,
    isDrained = false,
  ): PromiseOrValue<JsonResult | null> {
    const { directory, proofs, ask, keep } = this.#parts;
    const isKnown = checkBlock(hash, directory.findKnown(hash));
    const number = this.#numberOf(request, hash);
    const { key, isKept } = this.#naming(request, hash, isFull, keyAs);
    const isContradicted = proofs?.blocks?.isContradicted(hash) === true;
    const requestMore: RequestMore = {
      header: () => this.#findHeader(hash, scope),
      uncles: (header) => this.#uncles.find(header, header.unclesHash, scope),
    };
    const answer = ask({
      call: {
        isBound: true,
        isKept,
        check: (result, upstream) => {
          // If the hash of the block was recomputed, the check against the directory is not needed.
          const verified =
            proofs?.blocks?.check({ number, hash }, result, isFull, upstream, requestMore) ?? result;
          return proofs?.blocks?.find(hash) === undefined ? isKnown(verified) : verified;
        },
        ...request,
        ...(isFull
          ? { isBuffered: true, isDrained, takesBytes: true, checksStream: true }
          : { isText: true }),
        ...(isContradicted ? { sharedAs: `again:${hash}:${isFull}` } : { key }),
      },
      scope,
    });
    return continueWith(answer, (found) => {
      if (isContradicted && isComplete(found) && found !== 'null' && isKept()) keep(key, textOf(found));
      return found === 'null' ? null : found;
    });
  }

  /** Returns the cache key of a block, and whether it may be cached. Whoever reads the cache treats every cached block and its uncles as verified. */
  #naming(
    request: BlockRequest,
    hash: string,
    isFull: boolean,
    keyAs: CacheKey | undefined,
  ): { readonly key: CacheKey; readonly isKept: () => boolean } {
    const { proofs, cacheScope } = this.#parts;
    const number = this.#numberOf(request, hash);
    const mark = proofs?.keyPart(isFull ? 'transactions' : 'header', number) ?? '';
    return {
      key: keyAs ?? { blockHash: hash, request: `${cacheScope()}:block:${isFull}${mark}` },
      isKept: () =>
        mark === '' ||
        (this.#whyUnverifiable(request, hash) === undefined && proofs?.verifier?.lacksUncles(hash) !== true),
    };
  }

  /**
   * Returns a block with transaction hashes. If verified hashes are not cached yet, requests the block with whole transactions and replaces them with
   * their hashes. While the verified block is cached and has no uncles, a node's answer with hashes is compared with it. If the block with whole
   * transactions is a stream, requests the block with hashes instead. An answer for a block with uncles is not compared, because the headers of the
   * uncles are not cached.
   */
  requestHashes(
    request: (isFull: boolean) => BlockRequest,
    hash: string,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null> {
    const { cacheScope, keep, recall, proofs } = this.#parts;
    const key = { blockHash: hash, request: `${cacheScope()}:block:hashes:verified` };
    return continueWith(recall?.(key), (cached) => {
      if (cached !== undefined) return cached;
      if (proofs?.blocks?.find(hash)?.header.unclesHash === NO_UNCLES)
        return this.ask(request(false), hash, false, scope, key);
      return continueWith<JsonResult | null, JsonResult | null>(
        this.#requestRead(request(true), hash, scope),
        (block) => {
          if (block === null) return null;
          if (!isComplete(block)) {
            block.cancel();
            return this.ask(request(false), hash, false, scope);
          }
          const listed = listHashes(textOf(block));
          if (this.#naming(request(true), hash, true, key).isKept()) keep(key, listed);
          return listed;
        },
      );
    });
  }

  /**
   * Requests a block with whole transactions. If the network verifies blocks, a large block is read to its end for verification, and the result is an
   * empty stream.
   */
  #requestRead(request: BlockRequest, hash: string, scope: RequestScope): PromiseOrValue<JsonResult | null> {
    const why = this.#parts.proofs?.verifier?.whyUnverifiable(
      { number: this.#numberOf(request, hash), hash },
      ['transactions'],
    );
    return this.ask(request, hash, true, scope, undefined, why === undefined);
  }

  /** Requests and returns the verified header of a block by its hash. */
  async #findHeader(hash: string, scope: RequestScope): Promise<VerifiedHeader | undefined> {
    const { proofs, directory } = this.#parts;
    const params = JSON.stringify([hash, false]);
    const request = { method: 'eth_getBlockByHash', params, ...directory.route(hash) };
    const ask = (): PromiseOrValue<JsonResult | null> => this.#requestOnce(request, hash, false, scope);
    try {
      return await proofs?.blocks?.proveHeader({ number: this.#numberOf(request, hash), hash }, ask, scope);
    } catch (error) {
      if (error instanceof UpstreamFault) return undefined;
      throw error;
    }
  }

  /** Returns the number of a block, from the request or from its verified header. */
  #numberOf({ block }: BlockRequest, hash: string): bigint | undefined {
    return block?.number ?? this.#parts.proofs?.blocks?.findHeader(hash)?.number;
  }

  /** Returns the reason why a block must not be cached as verified; undefined if it may be. */
  #whyUnverifiable(request: BlockRequest, hash: string): string | undefined {
    const number = this.#numberOf(request, hash);
    return this.#parts.proofs?.verifier?.whyUnverifiable({ number, hash }, CACHED_SUBJECTS);
  }

  /** Returns a block whose parts were all verified; undefined if it is unverifiable. */
  prove(
    block: KnownBlock,
    isCanonical: boolean,
    scope: RequestScope,
  ): PromiseOrValue<VerifiedBlock | undefined> {
    const { proofs } = this.#parts;
    if (proofs?.blocks === undefined) return undefined;
    return proofs.blocks.prove(
      block,
      (inner) => this.#requestRead(nameBlock(block, isCanonical, true), block.hash, inner),
      scope,
    );
  }
}

/** Builds the request for a block whose number and hash are known. */
export function nameBlock({ number, hash }: KnownBlock, isCanonical: boolean, isFull: boolean): BlockRequest {
  const block = { number, hash };
  return isCanonical
    ? {
        method: 'eth_getBlockByNumber',
        params: `["${encodeQuantity(number)}",${isFull}]`,
        block,
        nulls: 'fault',
      }
    : { method: 'eth_getBlockByHash', params: `["${hash}",${isFull}]`, block, nulls: 'fault' };
}

function isSameList(listed: unknown, hashes: readonly string[]): boolean {
  return Array.isArray(listed) && listed.map(asText).join().toLowerCase() === hashes.join();
}

/** Replaces the transactions of a block with their hashes. */
function listHashes(block: JsonText): JsonText {
  const members = JSON.parse(block) as { readonly transactions: readonly Members[] };
  return JSON.stringify({ ...members, transactions: members.transactions.map(({ hash }) => hash) });
}
