import type * as z from 'zod';

type Issue = z.core.$ZodIssue;

/** Names in a message are cut here: a key of a map may be as long as a body. */
const MAX_NAME_LENGTH = 80;

/** Error map for parsing: the text of an issue that the schema has no text of its own for. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'missing value';
    const expected = issue.expected === 'record' ? 'object' : issue.expected;
    return `expected ${withArticle(expected)}, got ${describeKind(issue.input)}`;
  }
  if (issue.code === 'unrecognized_keys') return `unknown field ${shorten(issue.keys.join(', '))}`;
  return 'invalid value';
}

/** One line for an issue: the field's path, if it is inside the argument, and what is wrong. */
export function formatProblem(issue: Issue): string {
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? 'invalid key') : issue.message;
  const path = formatPath(issue.path);
  return path === '' ? message : `${path}: ${message}`;
}

/** What kind of JSON value this is, with its article. */
export function describeKind(value: unknown): string {
  if (value === null) return 'null';
  return withArticle(Array.isArray(value) ? 'array' : typeof value);
}

/** At most 80 characters of a text that a client chose. */
export function shorten(text: string): string {
  return text.length <= MAX_NAME_LENGTH ? text : `${text.slice(0, MAX_NAME_LENGTH)}…`;
}

function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += `${text === '' ? '' : '.'}${shorten(String(part))}`;
  }
  return text;
}

function withArticle(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
