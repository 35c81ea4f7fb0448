import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { NullMeaning, UpstreamRequest } from '../../pool/upstream-request.ts';
import { Lru } from '../../util/lru.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { sendUncovered } from './agreement/send-to-voices.ts';
import type { RequestParts } from './call-requests.ts';

/** Maximum total length of cached answers, UTF-16 units. */
const MAX_CACHED = 4_000_000;
/**
 * Lifetime of a cached answer, milliseconds. Prices may also depend on pending transactions, on some clients and networks. The lifetime is therefore
 * short.
 */
const CACHE_MS = 3_000;

/** Request for a method without parameters whose answer is about the head of the network. */
export type HeadRequest = {
  readonly method: string;
  readonly check: (result: JsonResult) => JsonResult;
  readonly nulls: NullMeaning;
};

type HeadParts = Pick<RequestParts, 'ask' | 'sendToVoices' | 'cacheScope' | 'resolver'>;

/**
 * Requests without parameters about the network, sent to nodes that have the served head. In-flight requests are coalesced, and answers are cached
 * per head for `CACHE_MS`. An answer is the unverified reply of one node; with mandatory agreement, several operators must return it.
 */
export class HeadRequests {
  readonly #parts: HeadParts;
  readonly #cached = new Lru<string, JsonText>(MAX_CACHED, CACHE_MS, undefined, ({ length }) => length);

  readonly #isDevelopment: boolean;

  /** @param isDevelopment true for a development network, whose answers are not cached because they may change at the same head */
  constructor(parts: HeadParts, isDevelopment: boolean = false) {
    this.#parts = parts;
    this.#isDevelopment = isDevelopment;
  }

  /** Returns the answer at the served head, cached or from a node; null if no node supports the method. */
  async ask({ method, check, nulls }: HeadRequest, scope: RequestScope): Promise<JsonText | null> {
    const { number, hash } = await this.#parts.resolver.getHead(scope);
    const sharedAs = this.nameOf(hash, method);
    const block = { number, hash };
    const call = { method, params: '[]', block, isText: true, nulls, check, sharedAs } as const;
    return this.requestOnce(sharedAs, call, scope);
  }

  /** Returns the cache key of an answer that is valid at one head. */
  nameOf(hash: string, request: string): string {
    return `head:${this.#parts.cacheScope()}:${hash}:${request}`;
  }

  /**
   * Returns the cached answer, or a node's answer; null if no node supports the method.
   * @param call request with `isText` set
   */
  async requestOnce(name: string, call: UpstreamRequest, scope: RequestScope): Promise<JsonText | null> {
    const cached = this.#cached.get(name);
    if (cached !== undefined) {
      scope.noteTrust(this.#parts.sendToVoices === undefined ? 'single' : 'agreed');
      return cached;
    }
    const answer = await this.requestUncached(call, scope);
    if (answer !== null && !this.#isDevelopment) this.#cached.set(name, answer);
    return answer;
  }

  /**
   * Returns a node's answer without using the cache; null if no node supports the method.
   * @param call request with `isText` set
   */
  async requestUncached(call: UpstreamRequest, scope: RequestScope): Promise<JsonText | null> {
    try {
      return (await sendUncovered(this.#parts, { call, scope })) as JsonText;
    } catch (error) {
      if (error instanceof UpstreamFault && error.kind === 'unsupported') return null;
      throw error;
    }
  }
}
