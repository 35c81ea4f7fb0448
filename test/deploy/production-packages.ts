import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyTree } from './copy-tree.ts';

type Lock = {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>>;
};

const OUTERMOST = /^node_modules\/(@[^/]+\/)?[^/]+$/;

/** Lists the packages that `npm ci --omit=dev` would install on this machine, without nested packages and workspaces. */
function listProductionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  return Object.entries(packages)
    .filter(([path, row]) => OUTERMOST.test(path) && row.dev !== true && row.link !== true)
    .map(([path]) => path)
    .filter((path) => existsSync(path));
}

/** Copies the packages that a production install has from this checkout. @param target path of the new `node_modules` */
export function copyProductionPackages(target: string): void {
  for (const path of listProductionPackages())
    copyTree(path, join(target, path.slice('node_modules/'.length)));
}
