const PREFIX = /^err: /i;
const SUFFIX = / \(supplied gas \d{1,20}\)$/i;
/** The suffix is looked for in the last characters only: what stands before it may be megabytes of revert data. */
const MAX_SUFFIX_LENGTH = 40;

/** The words inside `err: … (supplied gas N)`, geth's wrapping of what went wrong in a call; other texts as they are. */
export function unwrapError(text: string): string {
  if (!PREFIX.test(text)) return text;
  const suffix = SUFFIX.exec(text.slice(-MAX_SUFFIX_LENGTH));
  return suffix === null ? text : text.slice('err: '.length, -suffix[0].length);
}
