import * as z from 'zod';
import { DURATION_HINT, DURATION_PATTERN, parseDuration } from './duration.ts';

/** Schemas by range: building one takes 200 µs at the start, and many options have the same range. */
const schemas = new Map<string, z.ZodType<number>>();

/**
 * Returns the schema of a duration in the configuration file. The parsed value is in milliseconds.
 * @param min shortest allowed duration in the form of the file, such as `1ms`
 * @param max longest allowed duration, such as `24h`
 */
export function durationBetween(min: string, max: string): z.ZodType<number> {
  const range = `expected a duration from ${min} to ${max}`;
  const schema = schemas.get(range) ?? createSchema(parseDuration(min), parseDuration(max), range);
  schemas.set(range, schema);
  return schema;
}

function createSchema(least: number, most: number, range: string): z.ZodType<number> {
  return z
    .string({ error: ({ input }) => (input === undefined ? undefined : DURATION_HINT) })
    .regex(DURATION_PATTERN, DURATION_HINT)
    .transform(parseDuration)
    .refine((ms) => ms >= least && ms <= most, range)
    .register(z.globalRegistry, { title: 'duration' });
}
