import { isMap, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml';

export type YamlError = {
  readonly line: number;
  readonly message: string;
  /** Whether the structure of the text after this error is unknown. */
  readonly isSyntax: boolean;
};

/** Parsed YAML text with the line numbers of its values. */
export interface YamlSource {
  /** Errors in the text, with line numbers. */
  readonly errors: readonly YamlError[];
  /** Parsed value; undefined after a syntax error. */
  readonly value: unknown;
  /** Returns the line (from 1) of the value at a path, or of its closest parent. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Parses one YAML document. Never throws. */
export function parseYaml(text: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const errors: YamlError[] = [...document.errors, ...document.warnings].map(({ pos, message, code }) => ({
    line: lines.linePos(pos[0]).line,
    // An unquoted secret may be parsed as an alias or a tag, so its text is removed from the message.
    message:
      code === 'DUPLICATE_KEY'
        ? describeDuplicate(text.slice(pos[0]))
        : message.replace(/\b(alias[^:]*|tag): .*/is, '$1'),
    isSyntax: code !== 'DUPLICATE_KEY' && code !== 'TAG_RESOLVE_FAILED',
  }));
  let value: unknown;
  if (!errors.some(({ isSyntax }) => isSyntax)) {
    try {
      value = document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      // The document has recursive ("billion laughs") or undefined aliases.
      errors.push({ line: 1, message: (error as Error).message, isSyntax: true });
    }
  }
  const lineAt = (offset: number | undefined): number => lines.linePos(offset ?? 0).line;
  return {
    errors,
    value,
    lineOf(path) {
      let node: unknown = document.contents;
      let line = lineAt((node as Node | null)?.range?.[0]);
      for (const key of path) {
        const found = findChild(node, key);
        if (found === undefined) break;
        line = lineAt(found.offset);
        node = found.node;
      }
      return line;
    },
  };
}

/** Names the duplicate key only if the text has the form of a key, because other text may be a URL or a secret. */
function describeDuplicate(text: string): string {
  const [, , key] = /^(["']?)([A-Za-z][\w-]{0,30})\1\s*(?::\s|:?$)/.exec(text.split('\n', 1)[0] ?? '') ?? [];
  return key === undefined ? 'a key appears twice' : `the key ${key} appears twice`;
}

/** Maximum number of sections with syntax errors that are removed, one section per parse. */
const MAX_SECTIONS = 8;

/**
 * Removes the sections (top-level keys) with syntax errors. The other sections keep their line numbers.
 * @returns undefined if no readable text remains
 */
export function removeBrokenSections(
  text: string,
): { readonly yaml: YamlSource; readonly removed: ReadonlySet<string> } | undefined {
  const lines = text.split('\n');
  const removed = new Set<string>();
  for (let round = 0; round <= MAX_SECTIONS; round++) {
    const yaml = parseYaml(lines.join('\n'));
    const broken = yaml.errors.find(({ isSyntax }) => isSyntax);
    if (broken === undefined) return { yaml, removed };
    let start = Math.min(broken.line, lines.length) - 1;
    while (start >= 0 && !SECTION.test(lines[start] ?? '')) start--;
    const [, name] = SECTION.exec(lines[start] ?? '') ?? [];
    if (name === undefined) return undefined;
    removed.add(name);
    do lines[start++] = '';
    while (start < lines.length && !SECTION.test(lines[start] ?? ''));
  }
  return undefined;
}

/** Top-level key: a key at the start of a line. */
const SECTION = /^["']?([A-Za-z]\w*)["']?\s*:/;

/** Finds a member of a map (with the offset of its key) or an item of a list. */
function findChild(
  parent: unknown,
  key: PropertyKey,
): { node: unknown; offset: number | undefined } | undefined {
  if (isMap(parent)) {
    const pair = parent.items.find(
      (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(key),
    );
    return pair === undefined ? undefined : { node: pair.value, offset: (pair.key as Node).range?.[0] };
  }
  const items = (parent as { items?: readonly unknown[] } | null)?.items;
  const item = typeof key === 'number' ? items?.[key] : undefined;
  return item === undefined ? undefined : { node: item, offset: (item as Node).range?.[0] };
}
