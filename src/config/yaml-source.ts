import { isMap, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml';

/** A parsed YAML text that can tell on which line a value stands. */
export interface YamlSource {
  /** Syntax errors with their lines; when there are any, `value` means nothing. */
  readonly errors: readonly { readonly line: number; readonly message: string }[];
  readonly value: unknown;
  /** The line (from 1) of the value at a path, or of the nearest thing around it. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Parses one YAML document. Never throws. */
export function parseYaml(text: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const errors = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    line: lines.linePos(pos[0]).line,
    // What YAML takes for an alias or a tag may be a secret without quotes.
    message: message.replace(/\b(alias[^:]*|tag): .*/is, '$1'),
  }));
  let value: unknown;
  if (errors.length === 0) {
    try {
      value = document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      // Aliases that multiply ("billion laughs") or name nothing.
      errors.push({ line: 1, message: (error as Error).message });
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

/** A member of a map (where its key stands) or an item of a list. */
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
