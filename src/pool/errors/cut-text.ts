/** UTF-16 units of a node's text that are examined: no pattern sees a longer text. */
const MAX_TEXT_LENGTH = 4_000;
/** UTF-16 units of a text that are searched for secrets: more than the text keeps, since masks are shorter. */
export const MAX_SCRUBBED_LENGTH = 16_000;
/** Marks a cut. */
export const ELLIPSIS = '…';
/** At most this many UTF-16 units of a word are dropped where the cut goes through it. */
const MAX_WORD_LENGTH = 1_000;

/** Shortens a text that is too long, without the word that the cut goes through: half of a credential is not recognizable as one. */
export function cutText(text: string, length: number = MAX_TEXT_LENGTH): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  return `${start.slice(0, Math.max(start.lastIndexOf(' ') + 1, length - MAX_WORD_LENGTH))}${ELLIPSIS}`;
}
