import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { NullMeaning, UpstreamRequest } from '../../pool/upstream-request.ts';
import { Lru } from '../../util/lru.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { sendUncovered } from './agreement/send-to-voices.ts';
import type { RequestParts } from './call-requests.ts';

/** Cap on all cached answers, UTF-16 units. */
const MAX_CACHED = 4_000_000;
/** Lifetime of a cached answer. Prices depend on the head, and with some clients and networks also on pending transactions. */
const CACHE_MS = 3_000;

/** A request about the head of the network. */
export type HeadRequest = {
  readonly method: string;
  readonly check: (result: JsonResult) => JsonResult;
  readonly nulls: NullMeaning;
};

type HeadParts = Pick<RequestParts, 'ask' | 'sendToVoices' | 'cacheScope' | 'resolver'>;

/**
 * Requests without parameters about the state of the network, sent to nodes that have the served head. In-flight requests are coalesced, and answers
 * are cached for a short time, as long as the head is the same. An answer is the unverified reply of one node, or agreed between operators if that is
 * required.
 */
export class HeadRequests {
  readonly #parts: HeadParts;
  readonly #cached = new Lru<string, JsonText>(MAX_CACHED, CACHE_MS, undefined, ({ length }) => length);

  readonly #isDevelopment: boolean;

  /** @param isDevelopment true if answers may change at the same head: nothing is cached then */
  constructor(parts: HeadParts, isDevelopment: boolean = false) {
    this.#parts = parts;
    this.#isDevelopment = isDevelopment;
  }

  /** Returns the answer; null if no node supports the method. */
  async ask({ method, check, nulls }: HeadRequest, scope: RequestScope): Promise<JsonText | null> {
    const { number, hash } = await this.#parts.resolver.getHead(scope);
    const sharedAs = this.nameOf(hash, method);
    const block = { number, hash };
    const call = { method, params: '[]', block, isText: true, nulls, check, sharedAs } as const;
    return this.requestOnce(sharedAs, call, scope);
  }

  /** Returns the cache key of an answer at a head. */
  nameOf(hash: string, request: string): string {
    return `head:${this.#parts.cacheScope()}:${hash}:${request}`;
  }

  /**
   * Returns the cached answer, or a node's answer; null if no node supports the method.
   * @param call must request a text (`isText`)
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
   * Returns a node's answer and bypasses the cache; null if no node supports the method.
   * @param call must request a text (`isText`)
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
