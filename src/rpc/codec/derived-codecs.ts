import { ParamProblem } from '../param-problem.ts';
import type { Codec, Pace } from './codec.ts';

/** A member that is known and refused, whatever it is. */
export function refuseWith(problem: string): Codec<never> {
  return {
    parse() {
      throw new ParamProblem(problem);
    },
    jsonSchema: { not: {} },
  };
}

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

/**
 * A form with a further rule, in time that does not grow with the value.
 * @param findProblem what is wrong with a value of the form
 */
export function refined<T>(codec: Codec<T>, findProblem: (value: T) => string | undefined): Codec<T> {
  const { parseInPieces } = codec;
  const check = (value: T): T => {
    const problem = findProblem(value);
    if (problem !== undefined) throw new ParamProblem(problem);
    return value;
  };
  return {
    parse: (raw) => check(codec.parse(raw)),
    accept(raw) {
      const value = codec.accept?.(raw);
      return value === undefined || findProblem(value) !== undefined ? undefined : value;
    },
    ...(parseInPieces !== undefined && {
      *parseInPieces(raw: unknown, pace: Pace) {
        return check(yield* parseInPieces.call(codec, raw, pace));
      },
    }),
    jsonSchema: codec.jsonSchema,
  };
}
