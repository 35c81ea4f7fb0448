import { createKindProblem, ParamProblem } from '../param-problem.ts';
import type { Codec, JsonSchema } from './codec.ts';

type TextForm = {
  readonly title: string;
  /** Regular expression of the accepted texts, for the documentation. */
  readonly pattern: string;
  /**
   * Returns the problem of a text, or undefined. The fast path calls `findProblem` with the raw text; `parse` calls it with the text in lower case.
   */
  readonly findProblem: (text: string) => string | undefined;
  /** Whether `findProblem` rejects upper case. If upper case is rejected, every accepted text is in lower case. */
  readonly refusesUpperCase: boolean;
  /** Value of an empty text. `findProblem` itself rejects an empty text. Absent where an empty text is invalid. */
  readonly empty?: string;
};

/** Codec of a case-insensitive text. The result is in lower case. */
export function lowerCaseText(form: TextForm): Codec<string> {
  return new TextCodec(form);
}

class TextCodec implements Codec<string> {
  readonly jsonSchema: JsonSchema;
  readonly #findProblem: (text: string) => string | undefined;
  readonly #refusesUpperCase: boolean;
  readonly #empty: string | undefined;

  constructor({ title, pattern, findProblem, refusesUpperCase, empty }: TextForm) {
    this.jsonSchema = { type: 'string', title, pattern };
    this.#findProblem = findProblem;
    this.#refusesUpperCase = refusesUpperCase;
    this.#empty = empty;
  }

  parse(raw: unknown): string {
    if (typeof raw !== 'string') throw createKindProblem('string', raw);
    if (raw === '' && this.#empty !== undefined) return this.#empty;
    const text = raw.toLowerCase();
    const problem = this.#findProblem(text);
    if (problem !== undefined) throw new ParamProblem(problem);
    return text;
  }

  accept(raw: unknown): string | undefined {
    if (typeof raw !== 'string' || this.#findProblem(raw) !== undefined) return undefined;
    return this.#refusesUpperCase || raw === raw.toLowerCase() ? raw : undefined;
  }
}
