/** UTF-16 units of a node's text that are looked at: patterns meet nothing longer. */
const MAX_TEXT_LENGTH = 4_000;
/** UTF-16 units of a text that are searched for secrets: more than are kept, as masks are shorter. */
export const MAX_SCRUBBED_LENGTH = 16_000;
/** Stands where something was cut off. */
export const ELLIPSIS = '…';
/** Of a longer word, so many units are left out where it is cut. */
const MAX_WORD_LENGTH = 1_000;

/**
 * The beginning of a text that is too long, without the word that the cut goes through: half of a credential looks like
 * none.
 */
export function cutText(text: string, length: number = MAX_TEXT_LENGTH): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  return `${start.slice(0, Math.max(start.lastIndexOf(' ') + 1, length - MAX_WORD_LENGTH))}${ELLIPSIS}`;
}
