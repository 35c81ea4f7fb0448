/** Index of the documentation for language models, in the form of https://llmstxt.org. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../program-files.ts';

/** Documents of the root that a user reads. */
const ROOT_PAGES: readonly string[] = [
  'README.md',
  'UPGRADING.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
];

/** Returns llms.txt: each document with its title and its first sentence. */
export function renderIndex(): string {
  const guides = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const pages = [...ROOT_PAGES, ...guides.map((name) => `docs/${name}`)];
  const [, summary = ''] = /^# .*\n\n([^\n]+(?:\n[^\n#-][^\n]*)*)/.exec(read('README.md')) ?? [];
  return [
    '# Portcullis\n',
    `> ${joinLines(summary)}\n`,
    '## Documents\n',
    ...pages.map((page) => describe(page)),
    '',
  ].join('\n');
}

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Returns a list item: `- [title](path): first sentence`. @throws Error for a page without a title or a sentence */
function describe(page: string): string {
  const prose = read(page).replaceAll(/^```.*?^```$|^<!--.*?-->$/gms, '');
  const [, title, text] = /^# (.+)\n+((?:[^\n#|-].*\n)+)/.exec(prose) ?? [];
  if (title === undefined || text === undefined)
    throw new Error(`${page} does not begin with a title and a sentence`);
  const [sentence] = joinLines(text).split(/(?<=\.) /);
  return `- [${title}](${page}): ${sentence}`;
}

function joinLines(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
