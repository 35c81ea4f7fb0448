import { limitOf } from '../../util/bounds.ts';
import { createKindProblem } from '../param-problem.ts';
import {
  type Codec,
  type EntryBound,
  exceeds,
  isUnchanged,
  type JsonSchema,
  parseWithin,
  parseWithinInPieces,
  readWithin,
  refuseEntries,
  type ValueCounter,
} from './codec.ts';

/**
 * Codec of a JSON array whose elements all have one form.
 * @param bound maximum length; a longer array is rejected before any element is parsed
 */
export function listOf<T>(element: Codec<T>, bound?: EntryBound): Codec<readonly T[]> {
  return new ListCodec(element, bound);
}

class ListCodec<T> implements Codec<readonly T[]> {
  readonly jsonSchema: JsonSchema;
  readonly #element: Codec<T>;
  readonly #bound: EntryBound | undefined;

  constructor(element: Codec<T>, bound: EntryBound | undefined) {
    this.jsonSchema = {
      type: 'array',
      items: element.jsonSchema,
      ...(bound !== undefined && { maxItems: limitOf(bound) }),
    };
    this.#element = element;
    this.#bound = bound;
  }

  parse(raw: unknown): readonly T[] {
    this.#check(raw);
    return raw.map((element, i) => parseWithin(this.#element, element, i));
  }

  accept(raw: unknown): readonly T[] | undefined {
    if (!Array.isArray(raw) || exceeds(raw.length, this.#bound)) return undefined;
    for (const element of raw) if (!isUnchanged(this.#element, element)) return undefined;
    return raw;
  }

  *parseInPieces(raw: unknown, pace: ValueCounter): Generator<undefined, readonly T[]> {
    this.#check(raw);
    let changed: T[] | undefined;
    for (let i = 0; i < raw.length; i++) {
      if (pace.count()) yield;
      const value =
        this.#element.parseInPieces === undefined
          ? readWithin(this.#element, raw[i], i)
          : yield* parseWithinInPieces(this.#element, raw[i], i, pace);
      if (value !== raw[i]) changed ??= raw.slice(0, i) as T[];
      changed?.push(value);
    }
    return changed ?? (raw as readonly T[]);
  }
  /**
   * Checks that `raw` is an array within the bound.
   * @throws ParamProblem where `raw` is not an array; RpcError where it is too long
   */
  #check(raw: unknown): asserts raw is readonly unknown[] {
    if (!Array.isArray(raw)) throw createKindProblem('array', raw);
    if (this.#bound !== undefined && exceeds(raw.length, this.#bound)) throw refuseEntries(this.#bound);
  }
}
