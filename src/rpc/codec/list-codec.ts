import { createKindProblem } from '../param-problem.ts';
import {
  type Codec,
  checkValueInPieces,
  isUnchanged,
  type JsonSchema,
  type Pace,
  parseWithin,
} from './codec.ts';

/** A JSON array whose elements are all of one form. */
export function listOf<T>(element: Codec<T>): Codec<readonly T[]> {
  return new ListCodec(element);
}

class ListCodec<T> implements Codec<readonly T[]> {
  readonly jsonSchema: JsonSchema;
  readonly #element: Codec<T>;
  /** Lists that `accept` takes without a look at their elements. */
  readonly #checked = new WeakSet<object>();

  constructor(element: Codec<T>) {
    this.jsonSchema = { type: 'array', items: element.jsonSchema };
    this.#element = element;
  }

  parse(raw: unknown): readonly T[] {
    if (!Array.isArray(raw)) throw createKindProblem('array', raw);
    if (this.#checked.has(raw)) return raw;
    return raw.map((element, i) => parseWithin(this.#element, element, i));
  }

  accept(raw: unknown): readonly T[] | undefined {
    if (!Array.isArray(raw)) return undefined;
    if (!this.#checked.has(raw)) {
      for (const element of raw) if (!isUnchanged(this.#element, element)) return undefined;
    }
    return raw;
  }

  *checkInPieces(raw: unknown, pace: Pace): Generator<undefined, boolean> {
    if (!Array.isArray(raw)) return false;
    for (const element of raw) {
      if (!(yield* checkValueInPieces(this.#element, element, pace))) return false;
    }
    this.#checked.add(raw);
    return true;
  }
}
