import * as z from 'zod';

/**
 * Adds the description of an option to its schema, for docs/configuration.md and the JSON Schema of the configuration. The schema itself is changed,
 * because zod's `describe` would copy it, and 180 copies take 10 ms at the start.
 * @param schema schema that no other option uses
 */
export function option<T extends z.ZodType>(description: string, schema: T): T {
  const meta = z.globalRegistry.get(schema);
  z.globalRegistry.add(schema, { ...meta, description });
  return schema;
}
