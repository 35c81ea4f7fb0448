import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { Lru } from '../util/lru.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { askUncovered } from './agreement/ask-voices.ts';
import type { QuestionParts } from './call-questions.ts';
import { UpstreamFault } from './fault.ts';
import type { NullMeaning, RoutedCall } from './routed-call.ts';

/** UTF-16 units of all cached answers. */
const MAX_KEPT = 4_000_000;
/** A price depends on the head, and with some clients and networks on waiting transactions too. */
const KEPT_MS = 3_000;

/** A request about the head of the node. */
export type HeadQuestion = {
  readonly method: string;
  readonly check: (result: JsonResult) => JsonResult;
  readonly nulls: NullMeaning;
};

type HeadParts = Pick<QuestionParts, 'ask' | 'askVoices' | 'cacheScope' | 'resolver'>;

/**
 * Requests without parameters about the state of the network. They go to nodes that have the served head; requests in flight are coalesced, and
 * answers are cached for a short time while the head is the same. An answer is one node's word, or agreed between operators where that is required.
 */
export class HeadQuestions {
  readonly #parts: HeadParts;
  readonly #kept = new Lru<string, JsonText>(MAX_KEPT, KEPT_MS, undefined, ({ length }) => length);

  readonly #isDevelopment: boolean;

  /** @param isDevelopment whether answers may change while the head does not: nothing is cached then */
  constructor(parts: HeadParts, isDevelopment: boolean = false) {
    this.#parts = parts;
    this.#isDevelopment = isDevelopment;
  }

  /** Returns the answer; null if no node supports the method. */
  async ask({ method, check, nulls }: HeadQuestion, scope: RequestScope): Promise<JsonText | null> {
    const { number, hash } = await this.#parts.resolver.getHead(scope);
    const sharedAs = this.nameOf(hash, method);
    const block = { number, hash };
    const call = { method, params: '[]', block, isText: true, nulls, check, sharedAs } as const;
    return this.askOnce(sharedAs, call, scope);
  }

  /** Returns the cache key of an answer at a head. */
  nameOf(hash: string, question: string): string {
    return `head:${this.#parts.cacheScope()}:${hash}:${question}`;
  }

  /**
   * Returns the cached answer, or that of a node; null if no node supports the method.
   * @param call has to request a text (`isText`)
   */
  async askOnce(name: string, call: RoutedCall, scope: RequestScope): Promise<JsonText | null> {
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      scope.noteTrust(this.#parts.askVoices === undefined ? 'single' : 'agreed');
      return kept;
    }
    const answer = await this.askUnkept(call, scope);
    if (answer !== null && !this.#isDevelopment) this.#kept.set(name, answer);
    return answer;
  }

  /**
   * Returns the answer of a node, bypassing the cache; null if no node supports the method.
   * @param call has to request a text (`isText`)
   */
  async askUnkept(call: RoutedCall, scope: RequestScope): Promise<JsonText | null> {
    try {
      return (await askUncovered(this.#parts, { call, scope })) as JsonText;
    } catch (error) {
      if (error instanceof UpstreamFault && error.kind === 'unsupported') return null;
      throw error;
    }
  }
}
