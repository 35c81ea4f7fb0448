import type { Characters } from './utf8-text.ts';

const BACKSLASH = 0x5c;
/** Backslashes that are passed at a time. */
const RUN: string = '\\'.repeat(1024);

/** Where a string of JSON ends. @param start place of its first quote @returns place of its last one; the end of the text where it has none */
export function findStringEnd(text: Characters, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    // Only texts have strings of more than 8 MiB: those of nodes are bytes, and bounded.
    if (typeof text === 'string')
      while (escapes > start + RUN.length && text.startsWith(RUN, escapes - RUN.length))
        escapes -= RUN.length;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((at - escapes) % 2 === 0) return at;
  }
  return text.length;
}
