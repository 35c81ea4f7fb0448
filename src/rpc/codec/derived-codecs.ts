import type { Codec, ValueCounter } from './codec.ts';

/** Maps the result of a codec. It has no fast path, because the result is never the raw value itself. */
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

/** Accepts JSON `null` as `empty`, as Go does for a list element. The published schema is unchanged. */
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
