/** Finds test files that use random values, by their sources and the sources that they import from `test`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Sources of randomness: a property-testing library, a random generator, or a seed from the clock. */
const DRAWS: RegExp =
  /from 'fast-check'|\bMath\.random\b|\brandom(?:Bytes|UUID|Int|FillSync)\(|\bgetRandomValues\(|\bcreateRandom\b|\bnew Random\(|\b[sS]eed\b.*Date\.now\(/;
const IMPORT: RegExp = /(?:from|import) '(\.[^']+\.ts)'/g;

/**
 * @param folder folder of the tests
 * @returns sorted paths relative to the folder; imports are followed within it, because random values often come from a file beside the test
 */
export function findRandomTests(folder: string): string[] {
  const sources = new Map<string, string>();
  const read = (file: string): string => {
    const known = sources.get(file);
    if (known !== undefined) return known;
    const source = readFileSync(file, 'utf8');
    sources.set(file, source);
    return source;
  };
  const draws = (file: string, seen: Set<string>): boolean => {
    if (seen.has(file)) return false;
    seen.add(file);
    const source = read(file);
    if (DRAWS.test(source)) return true;
    return (
      [...source.matchAll(IMPORT)]
        .map(([, path = '']) => join(dirname(file), path))
        // A test may contain program sources as strings, whose imports do not resolve from here.
        .filter((path) => !relative(folder, path).startsWith('..') && existsSync(path))
        .some((path) => draws(path, seen))
    );
  };
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && draws(join(folder, path), new Set()))
    .sort();
}
