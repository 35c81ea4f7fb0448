/** Matches escapes of JSON, of URLs (the UTF-8 bytes of one character) and of HTML. */
const ESCAPE =
  /\\(?:u[0-9a-f]{4}|["\\/bfnrt])|%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}|&(?:#\d{2,6}|#x[0-9a-f]{2,5}|amp|quot|apos|lt|gt);/gi;
const MAY_BE_ESCAPED = /[\\%&]/;
/** Maximum number of escape levels: a text that is quoted in a quoted text is escaped twice. */
const MAX_LEVELS = 8;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
  ['lt', '<'],
  ['gt', '>'],
]);
const MAX_CODE_POINT = 0x10ffff;

/** Text without its escapes. UTF-16 unit `i` of `text` comes from the range `starts[i]` to `ends[i]` of the original text. */
type Unescaped = {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
};

type Range = { readonly from: number; readonly to: number };

/**
 * Replaces matches that become visible when escapes are decoded, at the first escape level where any pattern matches. The caller must repeat the call
 * until the text no longer changes, because a replacement may create another match.
 * @param patterns global patterns; a match with a captured group is not replaced
 * @param replace gets the matched text in its original form, including escapes
 */
export function replaceInEscaped(
  text: string,
  patterns: readonly RegExp[],
  replace: (written: string) => string,
): string {
  if (!MAY_BE_ESCAPED.test(text)) return text;
  const places = Array.from({ length: text.length + 1 }, (_, at) => at);
  let view: Unescaped | undefined = { text, starts: places, ends: places.slice(1) };
  for (let level = 0; level < MAX_LEVELS; level++) {
    view = unescapeLevel(view);
    if (view === undefined) break;
    const found = findRanges(view, patterns);
    if (found.length > 0) return replaceRanges(text, found, replace);
  }
  return text;
}

function findRanges({ text, starts, ends }: Unescaped, patterns: readonly RegExp[]): Range[] {
  const found: Range[] = [];
  for (const pattern of patterns)
    for (const { 0: match, 1: cached, index } of text.matchAll(pattern)) {
      if (cached !== undefined) continue;
      found.push({ from: starts[index] as number, to: ends[index + match.length - 1] as number });
    }
  return found;
}

/** Replaces ranges; overlapping ranges are merged. */
function replaceRanges(text: string, found: Range[], replace: (written: string) => string): string {
  const parts: string[] = [];
  let at = 0;
  const ranges = found.sort((a, b) => a.from - b.from);
  for (let i = 0; i < ranges.length; ) {
    const { from } = ranges[i] as Range;
    let to = from;
    for (; i < ranges.length && (ranges[i] as Range).from <= to; i++)
      to = Math.max(to, (ranges[i] as Range).to);
    parts.push(text.slice(at, from), replace(text.slice(from, to)));
    at = to;
  }
  return `${parts.join('')}${text.slice(at)}`;
}

/** @returns undefined if the text has no escapes */
function unescapeLevel({ text, starts: textStarts, ends: textEnds }: Unescaped): Unescaped | undefined {
  const parts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  const copyTo = (end: number): void => {
    parts.push(text.slice(at, end));
    for (; at < end; at++) {
      starts.push(textStarts[at] as number);
      ends.push(textEnds[at] as number);
    }
  };
  for (const { 0: written, index } of text.matchAll(ESCAPE)) {
    const meant = decodeEscape(written);
    if (meant === undefined) continue;
    copyTo(index);
    parts.push(meant);
    at += written.length;
    for (let i = 0; i < meant.length; i++) {
      starts.push(textStarts[index] as number);
      ends.push(textEnds[at - 1] as number);
    }
  }
  if (parts.length === 0) return undefined;
  copyTo(text.length);
  return { text: parts.join(''), starts, ends };
}

function decodeEscape(written: string): string | undefined {
  if (written.startsWith('\\'))
    return JSON.parse(`"${written[0]}${written.slice(1).toLowerCase()}"`) as string;
  if (written.startsWith('%')) {
    try {
      return decodeURIComponent(written);
    } catch {
      return undefined;
    }
  }
  const name = written.slice(1, -1).toLowerCase();
  const entity = ENTITIES.get(name);
  if (entity !== undefined) return entity;
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : undefined;
}
