import { countManyMembers, setMember } from '../../../packages/ethereum/primitives/parse-in-slices.ts';
import { limitOf } from '../../util/bounds.ts';
import { createKindProblem } from '../param-problem.ts';
import {
  type Codec,
  type EntryBound,
  exceeds,
  isJsonObject,
  isUnchanged,
  type JsonObject,
  type JsonSchema,
  parseWithin,
  parseWithinInPieces,
  readWithin,
  refuseEntries,
  type ValueCounter,
} from './codec.ts';

type RecordOptions = {
  /** Name of the map in the documentation. */
  readonly title: string;
  /** Whether a `null` member counts as absent. By default, `null` is parsed like any other value. */
  readonly skipsNull?: boolean;
  /** Maximum number of members of the object. A larger object is rejected before its members are listed, because listing cannot pause. */
  readonly bound?: EntryBound;
};

/** Codec of a JSON object that is a map: all keys have one form, and all values have one form. */
export function recordOf<T>(
  key: Codec<string>,
  value: Codec<T>,
  options: RecordOptions,
): Codec<Readonly<Record<string, T>>> {
  return new RecordCodec(key, value, options);
}

class RecordCodec<T> implements Codec<Readonly<Record<string, T>>> {
  readonly jsonSchema: JsonSchema;
  readonly #key: Codec<string>;
  readonly #value: Codec<T>;
  readonly #skipsNull: boolean;
  readonly #bound: EntryBound | undefined;

  constructor(key: Codec<string>, value: Codec<T>, { title, skipsNull = false, bound }: RecordOptions) {
    this.jsonSchema = {
      type: 'object',
      propertyNames: key.jsonSchema,
      additionalProperties: value.jsonSchema,
      ...(bound !== undefined && { maxProperties: limitOf(bound) }),
      title,
    };
    this.#key = key;
    this.#value = value;
    this.#skipsNull = skipsNull;
    this.#bound = bound;
  }

  parse(raw: unknown): Readonly<Record<string, T>> {
    this.#check(raw);
    const parsed: Record<string, T> = {};
    for (const key in raw) {
      const value = raw[key];
      if (value === null && this.#skipsNull) continue;
      setMember(parsed, parseWithin(this.#key, key, key), parseWithin(this.#value, value, key));
    }
    return parsed;
  }

  accept(raw: unknown): Readonly<Record<string, T>> | undefined {
    if (!isJsonObject(raw) || exceeds(countManyMembers(raw), this.#bound)) return undefined;
    for (const key in raw) {
      if (!isUnchanged(this.#key, key) || !isUnchanged(this.#value, raw[key])) return undefined;
    }
    return raw as Readonly<Record<string, T>>;
  }

  *parseInPieces(raw: unknown, pace: ValueCounter): Generator<undefined, Readonly<Record<string, T>>> {
    this.#check(raw);
    let changed: Record<string, T> | undefined;
    for (const key in raw) {
      if (pace.count()) yield;
      const value = raw[key];
      if (value === null && this.#skipsNull) {
        changed ??= yield* copyBefore<T>(raw, key, pace);
        continue;
      }
      const parsedKey = readWithin(this.#key, key, key);
      const parsed =
        this.#value.parseInPieces === undefined
          ? readWithin(this.#value, value, key)
          : yield* parseWithinInPieces(this.#value, value, key, pace);
      if (parsedKey !== key || parsed !== value) changed ??= yield* copyBefore<T>(raw, key, pace);
      if (changed !== undefined) setMember(changed, parsedKey, parsed);
    }
    return changed ?? (raw as Readonly<Record<string, T>>);
  }

  /**
   * Checks that `raw` is an object within the bound.
   * @throws ParamProblem where `raw` is not an object; RpcError where it has too many members
   */
  #check(raw: unknown): asserts raw is JsonObject {
    if (!isJsonObject(raw)) throw createKindProblem('object', raw);
    if (this.#bound !== undefined && exceeds(countManyMembers(raw), this.#bound))
      throw refuseEntries(this.#bound);
  }
}

/** Copies the members before `end`, whose parsed values equal their raw values. */
function* copyBefore<T>(
  raw: JsonObject,
  end: string,
  pace: ValueCounter,
): Generator<undefined, Record<string, T>> {
  const copy: Record<string, T> = {};
  // The first pause comes before the loop, because listing the members of a large map takes longer than the usual time between pauses.
  yield;
  for (const key in raw) {
    if (key === end) break;
    if (pace.count()) yield;
    setMember(copy, key, raw[key]);
  }
  return copy;
}
