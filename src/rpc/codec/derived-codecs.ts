import type { Codec, ValueCounter } from './codec.ts';

/**
 * Returns a codec that applies `map` to the values that another codec parses. The codec has no fast path, because its result is never the raw value.
 */
export function mapped<S, T>(codec: Codec<S>, map: (value: S) => T): Codec<T> {
  const { parseInPieces } = codec;
  return {
    parse: (raw) => map(codec.parse(raw)),
    ...(parseInPieces !== undefined && {
      *parseInPieces(raw: unknown, pace: ValueCounter) {
        return map(yield* parseInPieces.call(codec, raw, pace));
      },
    }),
    jsonSchema: codec.jsonSchema,
  };
}

/**
 * Returns a codec that also accepts JSON `null`, and parses it to `empty`. Go parses a `null` list element to an empty value. The published schema
 * does not mention `null`.
 */
export function nullable<T extends object>(codec: Codec<T>, empty: T): Codec<T> {
  const { accept, parseInPieces } = codec;
  return {
    parse: (raw) => (raw === null ? empty : codec.parse(raw)),
    ...(accept !== undefined && {
      accept: (raw: unknown) => (raw === null ? undefined : accept.call(codec, raw)),
    }),
    ...(parseInPieces !== undefined && {
      *parseInPieces(raw: unknown, pace: ValueCounter) {
        return raw === null ? empty : yield* parseInPieces.call(codec, raw, pace);
      },
    }),
    jsonSchema: codec.jsonSchema,
  };
}
