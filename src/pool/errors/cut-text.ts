/** Maximum number of UTF-16 units of a node's text that are examined: no pattern is matched against a longer text. */
const MAX_TEXT_LENGTH = 4_000;
/** Maximum number of UTF-16 units that are searched for secrets: more than remain in the text, because masks are shorter than secrets. */
export const MAX_SCRUBBED_LENGTH = 16_000;
/** Mark at the end of a shortened text. */
export const ELLIPSIS = '…';
/** Maximum number of UTF-16 units of a word that are dropped because the cut is inside the word. */
const MAX_WORD_LENGTH = 1_000;

/** Shortens a text that is too long. A word that contains the cut is dropped, because half of a credential is not recognizable as a credential. */
export function cutText(text: string, length: number = MAX_TEXT_LENGTH): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  return `${start.slice(0, Math.max(start.lastIndexOf(' ') + 1, length - MAX_WORD_LENGTH))}${ELLIPSIS}`;
}
