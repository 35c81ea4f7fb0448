import * as z from 'zod';
import { parseSize, SIZE_HINT, SIZE_PATTERN } from './size.ts';

/** Schemas by range: building one takes 200 µs at the start, and many options have the same range. */
const schemas = new Map<string, z.ZodType<number>>();

/**
 * Returns the schema of a size in the configuration file: a number of bytes, or a text with a unit. The parsed value is in bytes.
 * @param min smallest allowed size in the form of the file, such as `1KiB`
 * @param max largest allowed size, such as `16GiB`
 */
export function sizeBetween(min: string, max: string): z.ZodType<number> {
  const range = `expected a size from ${min} to ${max}`;
  const schema = schemas.get(range) ?? createSchema(parseSize(min), parseSize(max), range);
  schemas.set(range, schema);
  return schema;
}

function createSchema(least: number, most: number, range: string): z.ZodType<number> {
  const number = z.int({ error: SIZE_HINT }).min(least, range).max(most, range);
  const text = z
    .string()
    .regex(SIZE_PATTERN)
    .transform(parseSize)
    .refine((bytes) => bytes >= least && bytes <= most, range);
  return z
    .union([number, text], { error: ({ input }) => (input === undefined ? undefined : SIZE_HINT) })
    .register(z.globalRegistry, { title: 'size' });
}
