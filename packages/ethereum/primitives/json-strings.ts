import type { Characters } from './utf8-text.ts';

const BACKSLASH = 0x5c;
/** Run of backslashes that is skipped in one step. */
const RUN: string = '\\'.repeat(1024);

/**
 * Finds the end of a JSON string.
 * @param start position of the opening quote
 * @returns position of the closing quote; length of the text if there is none
 */
export function findStringEnd(text: Characters, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    // Only text inputs may have long runs of backslashes, in strings above 8 MiB; byte inputs from nodes are bounded.
    if (typeof text === 'string')
      while (escapes > start + RUN.length && text.startsWith(RUN, escapes - RUN.length))
        escapes -= RUN.length;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((at - escapes) % 2 === 0) return at;
  }
  return text.length;
}
