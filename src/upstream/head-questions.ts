import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import { Lru } from '../util/lru.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { askUncovered } from './agreement/ask-voices.ts';
import type { QuestionParts } from './call-questions.ts';
import { UpstreamFault } from './fault.ts';
import type { NullMeaning, RoutedCall } from './routed-call.ts';

/** UTF-16 units of all answers that are kept. */
const MAX_KEPT = 4_000_000;
/** A price depends on the head, and on clients and networks on transactions that wait too. */
const KEPT_MS = 3_000;

/** A question about the head, as a node sees it. */
export type HeadQuestion = {
  readonly method: string;
  readonly check: (result: JsonResult) => JsonResult;
  readonly nulls: NullMeaning;
};

type HeadParts = Pick<QuestionParts, 'ask' | 'askVoices' | 'cacheScope' | 'resolver'>;

/**
 * Questions without parameters about the state of the network. They go to nodes that have the served head, are shared while they are under
 * way, and their answers are kept for a short time as long as the head is the same. Each is one node's word, or what operators say alike where that is demanded.
 */
export class HeadQuestions {
  readonly #parts: HeadParts;
  readonly #kept = new Lru<string, JsonText>(MAX_KEPT, KEPT_MS, undefined, ({ length }) => length);

  readonly #isDevelopment: boolean;

  /** @param isDevelopment whether answers may change without the head: none is kept then */
  constructor(parts: HeadParts, isDevelopment: boolean = false) {
    this.#parts = parts;
    this.#isDevelopment = isDevelopment;
  }

  /** The answer; null when no node has the method. */
  async ask({ method, check, nulls }: HeadQuestion, scope: RequestScope): Promise<JsonText | null> {
    const { number, hash } = await this.#parts.resolver.getHead(scope);
    const sharedAs = this.nameOf(hash, method);
    const block = { number, hash };
    const call = { method, params: '[]', block, isText: true, nulls, check, sharedAs } as const;
    return this.askOnce(sharedAs, call, scope);
  }

  /** Under what the answer to a question is kept. */
  nameOf(hash: string, question: string): string {
    return `head:${this.#parts.cacheScope()}:${hash}:${question}`;
  }

  /** The kept answer, or that of a node; null when no node has the method. The call asks for a text. */
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

  /** The answer of a node to a call that asks for a text; null when no node has the method. */
  async askUnkept(call: RoutedCall, scope: RequestScope): Promise<JsonText | null> {
    try {
      return (await askUncovered(this.#parts, { call, scope })) as JsonText;
    } catch (error) {
      if (error instanceof UpstreamFault && error.kind === 'unsupported') return null;
      throw error;
    }
  }
}
