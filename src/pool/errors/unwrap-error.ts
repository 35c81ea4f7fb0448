const PREFIX = /^err: /i;
const SUFFIX = / \(supplied gas \d{1,20}\)$/i;
/**
 * Maximum length of the suffix `(supplied gas N)`, UTF-16 units. Only the last characters of a message are searched, because megabytes of revert data
 * may precede them.
 */
const MAX_SUFFIX_LENGTH = 40;

/** Returns the text inside `err: … (supplied gas N)`, with which geth wraps the failure of a call; other texts are returned unchanged. */
export function unwrapError(text: string): string {
  if (!PREFIX.test(text)) return text;
  const suffix = SUFFIX.exec(text.slice(-MAX_SUFFIX_LENGTH));
  return suffix === null ? text : text.slice('err: '.length, -suffix[0].length);
}
