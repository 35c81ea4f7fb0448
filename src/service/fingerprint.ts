/** Returns a canonical text of options: sets and maps are written as lists, functions and patterns as their source texts. */
export function fingerprint(options: unknown): string {
  return JSON.stringify(options, (_, value: unknown) => {
    if (value instanceof Set) return [...value];
    if (value instanceof Map) return [...value];
    if (typeof value === 'bigint' || typeof value === 'function' || value instanceof RegExp)
      return String(value);
    return value;
  });
}
