import * as z from 'zod';

type Shape = { readonly [name: string]: z.ZodType };

/**
 * An object of which only the members count that the shape names: others are ignored, as geth does, however many they are; `null` counts as
 * not given.
 */
export function objectOf<S extends Shape>(
  shape: S,
  refine: (schema: z.ZodObject<S>) => z.ZodType = (schema) => schema,
): z.ZodType {
  const names = Object.keys(shape);
  return z.preprocess((value) => pickMembers(value, names), refine(z.object(shape)));
}

function pickMembers(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member !== undefined && member !== null) picked[name] = member;
  }
  return picked;
}
