import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { PAGE_HTML } from './page/document.ts';
import { PAGE_CSS } from './page/stylesheet.ts';

export type PageFile = { readonly contentType: string; readonly text: string };

const FOLDER = join(import.meta.dirname, 'page');

/** Reads the page and its modules by path, once: no client path ever reaches the disk. */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>([
    ['/status', { contentType: 'text/html; charset=utf-8', text: PAGE_HTML }],
    ['/status/page.css', { contentType: 'text/css; charset=utf-8', text: PAGE_CSS }],
  ]);
  for (const name of readdirSync(FOLDER, { recursive: true }) as string[]) {
    if (!name.endsWith('.js')) continue;
    files.set(`/status/${name.split(sep).join('/')}`, {
      contentType: 'text/javascript; charset=utf-8',
      // Source maps are not served.
      text: readFileSync(join(FOLDER, name), 'utf8').replace(/\n\/\/# sourceMappingURL=\S*\s*$/, '\n'),
    });
  }
  return files;
}
