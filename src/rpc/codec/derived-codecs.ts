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
