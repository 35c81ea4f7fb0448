import { ParamProblem } from '../param-problem.ts';
import { type Codec, checkValueInPieces } from './codec.ts';

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
  return { parse: (raw) => map(codec.parse(raw)), jsonSchema: codec.jsonSchema };
}

/**
 * A form with a further rule, in time that does not grow with the value.
 * @param findProblem what is wrong with a value of the form
 */
export function refined<T>(codec: Codec<T>, findProblem: (value: T) => string | undefined): Codec<T> {
  const accept = (raw: unknown): T | undefined => {
    const value = codec.accept?.(raw);
    return value === undefined || findProblem(value) !== undefined ? undefined : value;
  };
  return {
    parse(raw) {
      const value = codec.parse(raw);
      const problem = findProblem(value);
      if (problem !== undefined) throw new ParamProblem(problem);
      return value;
    },
    accept,
    *checkInPieces(raw, pace) {
      return (yield* checkValueInPieces(codec, raw, pace)) && accept(raw) === raw;
    },
    jsonSchema: codec.jsonSchema,
  };
}
