import { hasManyMembers } from '../../../packages/ethereum/primitives/parse-in-slices.ts';
import { createKindProblem, ParamProblem } from '../param-problem.ts';
import {
  type Codec,
  isJsonObject,
  isUnchanged,
  type JsonObject,
  type JsonSchema,
  parseWithin,
  parseWithinInPieces,
  readWithin,
  type ValueCounter,
} from './codec.ts';

/** Member of an object. */
export type MemberField<T = unknown, R extends boolean = boolean> = {
  readonly codec: Codec<T>;
  readonly isRequired: R;
  /** Whether an invalid value counts as absent. */
  readonly isAnnotation?: boolean;
  /** Description of the member in the documentation. */
  readonly description?: string;
};

/** Required member. */
export function required<T>(codec: Codec<T>, description?: string): MemberField<T, true> {
  return { codec, isRequired: true, ...(description !== undefined && { description }) };
}

/** Optional member; `null` counts as absent. */
export function optional<T>(codec: Codec<T>, description?: string): MemberField<T, false> {
  return { codec, isRequired: false, ...(description !== undefined && { description }) };
}

/** Optional member. An invalid value counts as absent. */
export function annotation<T>(codec: Codec<T>, description?: string): MemberField<T, false> {
  return { ...optional(codec, description), isAnnotation: true };
}

type Fields = Readonly<Record<string, MemberField>>;
type ValueOf<F> = F extends MemberField<infer T> ? T : never;
type ObjectOf<F extends Fields> = {
  readonly [K in keyof F as F[K] extends MemberField<unknown, true> ? K : never]: ValueOf<F[K]>;
} & {
  readonly [K in keyof F as F[K] extends MemberField<unknown, true> ? never : K]?: ValueOf<F[K]>;
};

/**
 * Codec of a JSON object with these members. Any number of other members is ignored, as in geth. The result has its members in the order of `fields`.
 * @param title name in the documentation
 */
export function objectOf<F extends Fields>(title: string, fields: F): Codec<ObjectOf<F>> {
  return new ObjectCodec<ObjectOf<F>>(title, fields);
}

type Place = MemberField & { readonly index: number };

class ObjectCodec<T> implements Codec<T> {
  readonly jsonSchema: JsonSchema;
  readonly #fields: readonly (MemberField & { readonly name: string })[];
  readonly #places: ReadonlyMap<string, Place>;
  readonly #requiredCount: number;

  constructor(title: string, fields: Fields) {
    this.#fields = Object.entries(fields).map(([name, field]) => ({ ...field, name }));
    this.#places = new Map(this.#fields.map((field, index) => [field.name, { ...field, index }]));
    this.#requiredCount = this.#fields.filter(({ isRequired }) => isRequired).length;
    this.jsonSchema = describeFields(title, this.#fields);
  }

  parse(raw: unknown): T {
    if (!isJsonObject(raw)) throw createKindProblem('object', raw);
    const parsed: Record<string, unknown> = {};
    for (const field of this.#fields) {
      const { name, codec, isRequired } = field;
      const value = raw[name];
      if (isPresent(field, value)) {
        parsed[name] = parseWithin(codec, value, name);
      } else if (isRequired) throw new ParamProblem('missing value', [name]);
    }
    return parsed as T;
  }

  accept(raw: unknown): T | undefined {
    if (!isJsonObject(raw) || hasManyMembers(raw)) return undefined;
    let lastIndex = -1;
    let missing = this.#requiredCount;
    let isInOrder = true;
    for (const name in raw) {
      const place = this.#places.get(name);
      if (place === undefined) return undefined;
      const value = raw[name];
      if (place.isRequired) missing--;
      else if (value === null) {
        isInOrder = false;
        continue;
      }
      if (!isUnchanged(place.codec, value)) return undefined;
      isInOrder &&= place.index > lastIndex;
      lastIndex = place.index;
    }
    if (missing > 0) return undefined;
    return isInOrder ? (raw as T) : this.#putInOrder(raw);
  }

  #putInOrder(raw: JsonObject): T {
    const ordered: Record<string, unknown> = {};
    for (const field of this.#fields) {
      const { name } = field;
      const value = raw[name];
      if (isPresent(field, value)) ordered[name] = value;
    }
    return ordered as T;
  }

  *parseInPieces(raw: unknown, pace: ValueCounter): Generator<undefined, T> {
    if (!isJsonObject(raw)) throw createKindProblem('object', raw);
    const parsed: Record<string, unknown> = {};
    for (const field of this.#fields) {
      const { name, codec, isRequired } = field;
      const value = raw[name];
      if (isPresent(field, value)) {
        if (pace.count()) yield;
        parsed[name] =
          codec.parseInPieces === undefined
            ? readWithin(codec, value, name)
            : yield* parseWithinInPieces(codec, value, name, pace);
      } else if (isRequired) throw new ParamProblem('missing value', [name]);
    }
    return (hasSameMembers(raw, parsed) ? raw : parsed) as T;
  }
}

function isPresent({ codec, isRequired, isAnnotation = false }: MemberField, value: unknown): boolean {
  if (value === undefined || (value === null && !isRequired)) return false;
  return !isAnnotation || isUnchanged(codec, value) || isReadable(codec, value);
}

function isReadable(codec: Codec<unknown>, value: unknown): boolean {
  try {
    codec.parse(value);
    return true;
  } catch (error) {
    if (error instanceof ParamProblem) return false;
    throw error;
  }
}

/** Whether `raw` and `parsed` have equal members in the same order. Returns false for an object with many members, which is not compared. */
function hasSameMembers(raw: JsonObject, parsed: JsonObject): boolean {
  if (hasManyMembers(raw)) return false;
  const names = Object.keys(parsed);
  let count = 0;
  for (const name in raw) {
    if (name !== names[count] || raw[name] !== parsed[name]) return false;
    count++;
  }
  return count === names.length;
}

function describeFields(
  title: string,
  fields: readonly (MemberField & { readonly name: string })[],
): JsonSchema {
  const properties = fields.map(({ name, codec, description }): [string, JsonSchema] => [
    name,
    description === undefined ? codec.jsonSchema : { ...codec.jsonSchema, description },
  ]);
  const names = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(names.length > 0 && { required: names }),
    title,
  };
}
