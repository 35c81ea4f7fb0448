import * as z from 'zod';
import { ParamProblem } from '../param-problem.ts';
import type { Codec } from './codec.ts';

/** Converts a codec to a zod schema for results. The schema accepts the values that the codec parses, and has the codec's documentation. */
export function toZod<T>(codec: Codec<T>): z.ZodType<T> {
  const schema = z.unknown().check(({ value, issues }) => {
    try {
      codec.parse(value);
    } catch (error) {
      if (!(error instanceof ParamProblem)) throw error;
      issues.push({ code: 'custom', message: error.message, input: value });
    }
  });
  return schema.meta(codec.jsonSchema) as z.ZodType<T>;
}
