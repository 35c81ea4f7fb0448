import { createKindProblem } from '../param-problem.ts';
import {
  type Codec,
  checkValueInPieces,
  isJsonObject,
  isUnchanged,
  type JsonSchema,
  type Pace,
  parseWithin,
} from './codec.ts';

type RecordOptions = {
  /** Name in the documentation. */
  readonly title: string;
  /** Whether a member that is `null` counts as not given. Default: it is parsed like any other. */
  readonly skipsNull?: boolean;
};

/** A JSON object as a map: every key and every value of one form. */
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
  /** Maps that `accept` takes without a look at their members. */
  readonly #checked = new WeakSet<object>();

  constructor(key: Codec<string>, value: Codec<T>, { title, skipsNull = false }: RecordOptions) {
    this.jsonSchema = {
      type: 'object',
      propertyNames: key.jsonSchema,
      additionalProperties: value.jsonSchema,
      title,
    };
    this.#key = key;
    this.#value = value;
    this.#skipsNull = skipsNull;
  }

  parse(raw: unknown): Readonly<Record<string, T>> {
    if (!isJsonObject(raw)) throw createKindProblem('object', raw);
    if (this.#checked.has(raw)) return raw as Readonly<Record<string, T>>;
    const entries: [string, T][] = [];
    for (const key of Object.keys(raw)) {
      const value = raw[key];
      if (value === null && this.#skipsNull) continue;
      entries.push([parseWithin(this.#key, key, key), parseWithin(this.#value, value, key)]);
    }
    return Object.fromEntries(entries);
  }

  accept(raw: unknown): Readonly<Record<string, T>> | undefined {
    if (!isJsonObject(raw)) return undefined;
    if (!this.#checked.has(raw)) {
      for (const key in raw) {
        if (!isUnchanged(this.#key, key) || !isUnchanged(this.#value, raw[key])) return undefined;
      }
    }
    return raw as Readonly<Record<string, T>>;
  }

  *checkInPieces(raw: unknown, pace: Pace): Generator<undefined, boolean> {
    if (!isJsonObject(raw)) return false;
    for (const key in raw) {
      if (!isUnchanged(this.#key, key)) return false;
      if (!(yield* checkValueInPieces(this.#value, raw[key], pace))) return false;
    }
    this.#checked.add(raw);
    return true;
  }
}
