import { createKindProblem, ParamProblem } from '../param-problem.ts';
import type { Codec, JsonSchema } from './codec.ts';

type TextForm = {
  readonly title: string;
  /** For the documentation: the regular expression of what is taken. */
  readonly pattern: string;
  /** What is wrong with a text. It is given texts as they came and, where there is something wrong, in lower case. */
  readonly findProblem: (text: string) => string | undefined;
  /** Whether `findProblem` refuses upper case, so that what it has nothing to say to is in lower case. */
  readonly refusesUpperCase: boolean;
  /** What an empty text stands for, to which `findProblem` objects; absent: nothing. */
  readonly empty?: string;
};

/** Text that is taken in either case and becomes lower case. */
export function textOf(form: TextForm): Codec<string> {
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
