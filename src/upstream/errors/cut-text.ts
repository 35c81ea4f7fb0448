/** UTF-16 units of a node's text that are looked at and passed on: patterns meet nothing longer. */
export const MAX_TEXT_LENGTH = 1_000;

export function cutText(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : text.slice(0, MAX_TEXT_LENGTH);
}
