/** Texts of clients and of nodes meet regular expressions: each of the program's own matches or fails in linear time. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Node, parse } from 'acorn';
import { simple } from 'acorn-walk';
import { analyse } from 'scslre';
import { ROOT } from '../../scripts/program-files.ts';

const BUILD = join(ROOT, 'build/src');
/** There are more than 450; fewer were not found. */
const LEAST = 400;

type Found = {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
};

type RegExpLiteral = Node & { readonly regex?: { readonly pattern: string; readonly flags: string } };

/** Regular expression literals of the compiled program, in which comments and strings are told from them. */
function findLiterals(): readonly Found[] {
  const files = readdirSync(BUILD, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  );
  return files.flatMap((file) => {
    const found: Found[] = [];
    const program = parse(readFileSync(join(BUILD, file), 'utf8'), {
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

/** Parts of an expression that share a text in more than one way, so that a text of length n is tried n times or more often. */
function findBacktracking({ source, flags }: Pick<Found, 'source' | 'flags'>): number {
  // A sticky expression begins at one place, as one with an anchor does.
  const isSticky = flags.includes('y');
  const anchored = isSticky ? `^(?:${source})` : source;
  return analyse({ source: anchored, flags: flags.replace('y', '') }).reports.length;
}

test('no regular expression takes more than linear time, whatever the text', () => {
  const literals = findLiterals();
  assert.ok(literals.length > LEAST, `${literals.length}`);
  const slow = literals.filter((literal) => findBacktracking(literal) > 0);
  assert.deepEqual(
    slow.map(({ file, line, source }) => `${file}:${line} ${source}`),
    [],
  );
});

test('expressions that take quadratic and exponential time are found', () => {
  for (const source of ['^0x0*([0-9a-f]+)$', '^(\\d+)\\s*(ms)?\\s*$', '\\s+$', '^(a+)+$'])
    assert.ok(findBacktracking({ source, flags: '' }) > 0, source);
});
