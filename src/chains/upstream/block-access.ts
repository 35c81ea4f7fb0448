import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { CacheKey } from '../../cache/cache.ts';
import type { BlockReference } from '../../chain/requests.ts';
import type { ReportedBlock } from '../../pool/heads/block.ts';
import type { UpstreamRequest } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { sendUncovered } from './agreement/send-to-voices.ts';
import type { ResolvedBlock } from './block-resolver.ts';
import type { RequestParts } from './call-requests.ts';

/**
 * A block, and whether it is canonical. A node must receive the hash of a block that is not canonical, because its number identifies another block.
 */
export type FoundBlock = { readonly block: ReportedBlock; readonly isCanonical: boolean };

/**
 * Beginnings of the names of methods with a block and an index as parameters. The complete names end with `ByBlockNumberAndIndex` or
 * `ByBlockHashAndIndex`.
 */
export type IndexedRequest = 'eth_getTransaction' | 'eth_getRawTransaction' | 'eth_getUncle';

/** Finds blocks and builds requests for their contents. */
export class BlockAccess {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** Resolves a reference to its block; returns null if there is no such block. */
  find(reference: BlockReference, scope: RequestScope): PromiseOrValue<FoundBlock | 'pending' | null> {
    return continueWith(this.#parts.resolver.resolveSoon(reference, scope), (resolved) => {
      if (resolved.kind === 'pending') return 'pending';
      const isCanonical = resolved.kind === 'block' && resolved.isCanonical;
      return continueWith(this.findResolved(resolved, scope), (block) => block && { block, isCanonical });
    });
  }

  findResolved(resolved: ResolvedBlock, scope: RequestScope): PromiseOrValue<ReportedBlock | null> {
    if (resolved.kind !== 'block') return null;
    const { number, hash } = resolved.position;
    if (!resolved.isCanonical && hash !== undefined) return this.#parts.directory.findByHash(hash, scope);
    return this.#parts.directory.findByNumber(number, scope);
  }

  /** Builds a request for contents of a block. The answer has a cache key, because it never changes and is checked against the block. */
  about(
    method: string,
    { number, hash }: Pick<ReportedBlock, 'number' | 'hash'>,
    params: readonly unknown[],
  ): UpstreamRequest & { readonly key: CacheKey } {
    const text = JSON.stringify(params);
    const mark = this.#parts.proofs?.keyPart('transactions', number) ?? '';
    return {
      method,
      params: text,
      block: { number, hash },
      key: { blockHash: hash, request: `${this.#parts.cacheScope()}:${method}:${text}${mark}` },
      nulls: 'fault',
      isBound: true,
    };
  }

  aboutIndex(request: IndexedRequest, { block, isCanonical }: FoundBlock, index: bigint): UpstreamRequest {
    const at = encodeQuantity(index);
    return isCanonical
      ? this.about(`${request}ByBlockNumberAndIndex`, block, [encodeQuantity(block.number), at])
      : this.about(`${request}ByBlockHashAndIndex`, block, [block.hash, at]);
  }

  /** Sends a request and returns the answer as one text, never as a stream. */
  async requestText(call: UpstreamRequest, scope: RequestScope): Promise<JsonText> {
    return (await this.#parts.ask({ call: { ...call, isText: true }, scope })) as JsonText;
  }

  /** Requests pending data from the one node that serves all pending requests; returns null if the node has none. */
  async requestPending(
    method: string,
    rest: readonly unknown[],
    scope: RequestScope,
    check?: UpstreamRequest['check'],
  ): Promise<JsonText | null> {
    const params = JSON.stringify(['pending', ...rest]);
    const requested: UpstreamRequest = { method, params, isSticky: true, nulls: 'truth', isText: true };
    const call = check === undefined ? requested : { ...requested, check };
    const answer = (await sendUncovered(this.#parts, { call, scope })) as JsonText;
    return answer === 'null' ? null : answer;
  }
}
