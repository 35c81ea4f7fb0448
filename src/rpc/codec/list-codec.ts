import { createKindProblem } from '../param-problem.ts';
import {
  type Codec,
  isUnchanged,
  type JsonSchema,
  type Pace,
  parseWithin,
  parseWithinInPieces,
  readWithin,
} from './codec.ts';

/** A JSON array of elements of one form. */
export function listOf<T>(element: Codec<T>): Codec<readonly T[]> {
  return new ListCodec(element);
}

class ListCodec<T> implements Codec<readonly T[]> {
  readonly jsonSchema: JsonSchema;
  readonly #element: Codec<T>;

  constructor(element: Codec<T>) {
    this.jsonSchema = { type: 'array', items: element.jsonSchema };
    this.#element = element;
  }

  parse(raw: unknown): readonly T[] {
    if (!Array.isArray(raw)) throw createKindProblem('array', raw);
    return raw.map((element, i) => parseWithin(this.#element, element, i));
  }

  accept(raw: unknown): readonly T[] | undefined {
    if (!Array.isArray(raw)) return undefined;
    for (const element of raw) if (!isUnchanged(this.#element, element)) return undefined;
    return raw;
  }

  *parseInPieces(raw: unknown, pace: Pace): Generator<undefined, readonly T[]> {
    if (!Array.isArray(raw)) throw createKindProblem('array', raw);
    let changed: T[] | undefined;
    for (let i = 0; i < raw.length; i++) {
      if (pace.count()) yield;
      const value =
        this.#element.parseInPieces === undefined
          ? readWithin(this.#element, raw[i], i)
          : yield* parseWithinInPieces(this.#element, raw[i], i, pace);
      if (value !== raw[i]) changed ??= raw.slice(0, i);
      changed?.push(value);
    }
    return changed ?? raw;
  }
}
