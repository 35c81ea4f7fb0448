/** Which test files draw at random, as their sources and those that they import from `test` say. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What makes a file one that draws: a library of properties, a source of randomness, or a seed of the clock. */
const DRAWS: RegExp =
  /from 'fast-check'|\bMath\.random\b|\brandom(?:Bytes|UUID|Int|FillSync)\(|\bgetRandomValues\(|\bcreateRandom\b|\bnew Random\(|\b[sS]eed\b.*Date\.now\(/;
const IMPORT: RegExp = /(?:from|import) '(\.[^']+\.ts)'/g;

/**
 * @param folder that of the tests
 * @returns paths from the folder, sorted; imports are followed as long as they stay in it, as what draws is often in a file beside the test
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
        // A test may have sources of programs as texts, whose imports lead nowhere from here.
        .filter((path) => !relative(folder, path).startsWith('..') && existsSync(path))
        .some((path) => draws(path, seen))
    );
  };
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && draws(join(folder, path), new Set()))
    .sort();
}
