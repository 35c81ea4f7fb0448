import type { Codec, Pace } from './codec.ts';

/** What a form means, as something else. It has no fast path: what it means is never the value itself. */
export function mapped<S, T>(codec: Codec<S>, map: (value: S) => T): Codec<T> {
  const { parseInPieces } = codec;
  return {
    parse: (raw) => map(codec.parse(raw)),
    ...(parseInPieces !== undefined && {
      *parseInPieces(raw: unknown, pace: Pace) {
        return map(yield* parseInPieces.call(codec, raw, pace));
      },
    }),
    jsonSchema: codec.jsonSchema,
  };
}

/** The same form, of which JSON `null` is the value without anything given, as an element of a list is in Go; it is not published. */
export function nullable<T extends object>(codec: Codec<T>, empty: T): Codec<T> {
  const { accept, parseInPieces } = codec;
  return {
    parse: (raw) => (raw === null ? empty : codec.parse(raw)),
    ...(accept !== undefined && {
      accept: (raw: unknown) => (raw === null ? undefined : accept.call(codec, raw)),
    }),
    ...(parseInPieces !== undefined && {
      *parseInPieces(raw: unknown, pace: Pace) {
        return raw === null ? empty : yield* parseInPieces.call(codec, raw, pace);
      },
    }),
    jsonSchema: codec.jsonSchema,
  };
}
