/** Maximum length of a node's text that patterns are matched against, UTF-16 units. */
const MAX_TEXT_LENGTH = 4_000;
/** Maximum length of a text that is searched for secrets, UTF-16 units. The limit is above `MAX_TEXT_LENGTH`, because masking shortens a text. */
export const MAX_SCRUBBED_LENGTH = 16_000;
/** Mark at the end of a shortened text. */
export const ELLIPSIS = '…';
/**
 * Maximum length of a word at the end of a shortened text that is dropped as a whole, UTF-16 units. Only the last part of a longer word is dropped.
 */
const MAX_WORD_LENGTH = 1_000;

/** Shortens a text that is too long. The word at the cut is dropped as a whole, because half of a credential could not be recognized and masked. */
export function cutText(text: string, length: number = MAX_TEXT_LENGTH): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  return `${start.slice(0, Math.max(start.lastIndexOf(' ') + 1, length - MAX_WORD_LENGTH))}${ELLIPSIS}`;
}
