import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One request of a transcript file and its expected response, both as JSON text. */
export type Exchange = { readonly request: string; readonly response: string; readonly isSpecOnly: boolean };

/** Parses `>> request` and `<< response` lines; `// speconly` marks responses of which only the shape is compared. */
export function parseTranscript(text: string): Exchange[] {
  const isSpecOnly = /^\/\/ speconly:/m.test(text);
  const contexts: Exchange[] = [];
  let request: string | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('>> ')) request = line.slice(3);
    if (line.startsWith('<< ') && request !== undefined) {
      contexts.push({ request, response: line.slice(3), isSpecOnly });
      request = undefined;
    }
  }
  return contexts;
}

/** Reads the transcript files of a folder, by name. */
export function readTranscripts(folder: string): { readonly name: string; readonly contexts: Exchange[] }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.io'))
    .sort()
    .map((name) => ({ name, contexts: parseTranscript(readFileSync(join(folder, name), 'utf8')) }));
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function normalize(value: Json, ignoredKeys: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((item) => normalize(item, ignoredKeys));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !ignoredKeys.has(key))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, normalize(item, ignoredKeys)]),
  );
}

/** Brings two responses into comparable form: ignores key order, and `error.message` where both have one; everything else counts. */
export function comparable(
  have: string,
  want: string,
  ignoredKeys: readonly string[] = [],
): { readonly have: Json; readonly want: Json } {
  const parsed = [JSON.parse(have), JSON.parse(want)] as [Json, Json];
  const errors = parsed.map((response) => (response as { error?: { message?: string } }).error);
  if (errors.every((error) => error?.message !== undefined)) {
    for (const error of errors) delete error?.message;
  }
  const ignored = new Set(ignoredKeys);
  return { have: normalize(parsed[0], ignored), want: normalize(parsed[1], ignored) };
}
