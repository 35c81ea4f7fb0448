const PREFIX = /^err: /i;
const SUFFIX = / \(supplied gas \d{1,20}\)$/i;
/** The suffix is searched in the last characters only: the text before it may be megabytes of revert data. */
const MAX_SUFFIX_LENGTH = 40;

/** Returns the words inside `err: … (supplied gas N)`, geth's wrapping of a call's failure; other texts unchanged. */
export function unwrapError(text: string): string {
  if (!PREFIX.test(text)) return text;
  const suffix = SUFFIX.exec(text.slice(-MAX_SUFFIX_LENGTH));
  return suffix === null ? text : text.slice('err: '.length, -suffix[0].length);
}
