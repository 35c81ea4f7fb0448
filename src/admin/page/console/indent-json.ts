/** Matches one JSON token: a string, a punctuation character, or any other token. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Indents JSON text without parsing its numbers, which stay verbatim. Text that is not JSON is returned unchanged.
 */
export function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let [indented, depth] = ['', 0];
  let before = '';
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '}' || token === ']') {
      depth--;
      if (before !== '{' && before !== '[') indented += newLine();
    } else if (before === '{' || before === '[' || before === ',') indented += newLine();
    indented += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    before = token;
  }
  return indented;
}
