/** A string, or anything else that is one token, or white space. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Puts JSON text on lines without reading its numbers: they come out as they came in. What is no JSON stays as it is. */
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
