/** Regular expressions of the program run on texts of clients and nodes: each matches or fails in linear time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Node, parse } from 'acorn';
import { simple } from 'acorn-walk';
import { analyse } from 'scslre';
import { PAGE_FOLDER } from '../../scripts/bundle-page.ts';
import { SOURCE_FOLDERS } from '../../scripts/program-files.ts';
import { readFilesBelow } from '../support/program-sources.ts';

/** Lower bound of the number of expressions found, which is above 450; a smaller number shows that the search is broken. */
const LEAST = 400;

type Found = {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
};

type RegExpLiteral = Node & { readonly regex?: { readonly pattern: string; readonly flags: string } };

/** Regular expression literals of the compiled program; the parser distinguishes them from comments and strings. */
function findLiterals(): readonly Found[] {
  const files = SOURCE_FOLDERS.flatMap((folder) => readFilesBelow(`build/${folder}`, '.js'));
  // The bundled page consists of modules, which this test reads one by one, and of packages, which parse only texts of the page's own user.
  const own = files.filter(({ name }) => !name.startsWith(PAGE_FOLDER));
  return own.flatMap(({ name: file, text }) => {
    const found: Found[] = [];
    const program = parse(text, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
    });
    simple(program, {
      Literal(node) {
        const { regex, loc } = node as RegExpLiteral;
        if (regex !== undefined)
          found.push({ file, line: loc?.start.line ?? 0, source: regex.pattern, flags: regex.flags });
      },
    });
    return found;
  });
}

/** Counts the parts of an expression that match a text in more than one way, so that a text of length n is tried n times or more. */
function findBacktracking({ source, flags }: Pick<Found, 'source' | 'flags'>): number {
  // A sticky expression begins at one place, like one with an anchor.
  const isSticky = flags.includes('y');
  const anchored = isSticky ? `^(?:${source})` : source;
  return analyse({ source: anchored, flags: flags.replace('y', '') }).reports.length;
}

test('no regular expression takes more than linear time on any text', () => {
  const literals = findLiterals();
  assert.ok(literals.length > LEAST, `${literals.length}`);
  const slow = literals.filter((literal) => findBacktracking(literal) > 0);
  assert.deepEqual(
    slow.map(({ file, line, source }) => `${file}:${line} ${source}`),
    [],
  );
});

test('expressions with quadratic and exponential time are detected', () => {
  for (const source of ['^0x0*([0-9a-f]+)$', '^(\\d+)\\s*(ms)?\\s*$', '\\s+$', '^(a+)+$'])
    assert.ok(findBacktracking({ source, flags: '' }) > 0, source);
});
