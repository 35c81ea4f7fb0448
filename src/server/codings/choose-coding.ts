import { BROTLI } from './brotli.ts';
import type { Coding } from './coding.ts';
import { GZIP } from './gzip.ts';
import { ZSTD } from './zstd.ts';

/** Codings in the server's order of preference. zstd needs the least time for the smallest output. */
const CODINGS: readonly Coding[] = [...(ZSTD === undefined ? [] : [ZSTD]), BROTLI, GZIP];

/** Aliases of codings: `x-gzip` (RFC 9110 8.4.1.3), and the wildcard, which stands for gzip only, because every client decodes gzip. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['x-gzip', 'gzip'],
  ['*', 'gzip'],
]);

/** Last header with its choice, which is cached because the requests of one client have the same header. */
let last: { readonly header: string; readonly coding: Coding | undefined } | undefined;

/** Chooses the coding of a response from the Accept-Encoding header of its request (RFC 9110 12.5.3). @returns undefined for no coding */
export function chooseCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  if (last?.header !== header) last = { header, coding: choose(header) };
  return last.coding;
}

/** Whether an Accept-Encoding header allows a coding. */
export function acceptsCoding(header: string | undefined, { name }: Coding): boolean {
  return header !== undefined && (readQualities(header).get(name) ?? 0) > 0;
}

function choose(header: string): Coding | undefined {
  const qualities = readQualities(header);
  let best: Coding | undefined;
  let bestQuality = 0;
  for (const coding of CODINGS) {
    const quality = qualities.get(coding.name) ?? 0;
    if (quality > bestQuality) [best, bestQuality] = [coding, quality];
  }
  return best;
}

/** Returns the quality of each coding that a header names, 0 to 1. */
function readQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [token = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const name = ALIASES.get(token) ?? token;
    // A wildcard counts only for a coding that the header does not name.
    if (token !== '*' || !qualities.has(name)) qualities.set(name, readQuality(parameters));
  }
  return qualities;
}

/** Returns the value of `q`, 0 to 1; a malformed value counts as 1, as for nginx. */
function readQuality(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [, text] = /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(parameter) ?? [];
    if (text !== undefined) return Math.min(1, Number(text));
  }
  return 1;
}
