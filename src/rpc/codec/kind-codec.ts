import { createKindProblem, kindOf } from '../param-problem.ts';
import type { Codec, JsonSchema, ValueCounter } from './codec.ts';

type Kind = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'null';
type ByKind = { readonly [K in Kind]?: Codec<unknown> };
type ValueOf<C> = C extends Codec<infer T> ? T : never;

/** Selects a codec by the JSON kind of the value. Only the codec for the kind that the client sent reports problems. */
export function byKind<C extends ByKind>(codecs: C): Codec<ValueOf<C[keyof C]>> {
  return new KindCodec<ValueOf<C[keyof C]>>(codecs);
}

class KindCodec<T> implements Codec<T> {
  readonly jsonSchema: JsonSchema;
  readonly #codecs: ReadonlyMap<string, Codec<T>>;

  constructor(codecs: ByKind) {
    this.#codecs = new Map(Object.entries(codecs) as [string, Codec<T>][]);
    this.jsonSchema = { anyOf: Object.values(codecs).map(({ jsonSchema }) => jsonSchema) };
  }

  parse(raw: unknown): T {
    return this.#choose(raw).parse(raw);
  }

  accept(raw: unknown): T | undefined {
    return this.#codecs.get(kindOf(raw))?.accept?.(raw);
  }

  *parseInPieces(raw: unknown, pace: ValueCounter): Generator<undefined, T> {
    const codec = this.#choose(raw);
    return codec.parseInPieces === undefined ? codec.parse(raw) : yield* codec.parseInPieces(raw, pace);
  }

  #choose(raw: unknown): Codec<T> {
    const codec = this.#codecs.get(kindOf(raw));
    if (codec === undefined) throw createKindProblem([...this.#codecs.keys()], raw);
    return codec;
  }
}
