import { ANY_NAME, listOptions } from './json-schema.ts';

/** Width at which comments are wrapped, characters. */
const WIDTH = 120;
/** Matches a line with an option: indentation, `#` if the option is not set, `- ` of a list item, and the key. */
const OPTION = /^( *)#?(- )?([A-Za-z]\w*):(?: |$)/;

/**
 * Adds the descriptions of the options to a YAML text, as comments above the options. A `#` directly before a key marks an option that is not set. An
 * option is described where it first appears, unless it already has a comment.
 */
export function annotateYaml(text: string): string {
  const descriptions = new Map(listOptions().map(({ path, schema }) => [path, schema.description ?? '']));
  const described = new Set<string>();
  const parents: { readonly indent: number; readonly path: string }[] = [];
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const [, spaces = '', item = '', key] = OPTION.exec(line) ?? [];
    if (key !== undefined) {
      const indent = spaces.length + item.length;
      while ((parents.at(-1)?.indent ?? -1) >= spaces.length) parents.pop();
      if (item !== '') parents.push({ indent: spaces.length, path: `${parents.at(-1)?.path ?? ''}[]` });
      const around = parents.at(-1)?.path;
      const named = around === undefined ? key : `${around}.${key}`;
      const path = descriptions.has(named) ? named : `${around}.${ANY_NAME}`;
      parents.push({ indent, path });
      const hasComment = /^ *# /.test(lines.at(-1) ?? '');
      if (!hasComment && !described.has(path))
        lines.push(...wrapComment(descriptions.get(path) ?? '', spaces));
      described.add(path);
    }
    lines.push(line);
  }
  return lines.join('\n');
}

function wrapComment(text: string, indentation: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (word === '') continue;
    if (last !== undefined && last.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indentation}# ${word}`);
  }
  return lines;
}
