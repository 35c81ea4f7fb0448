import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Copies a file or a folder with modes, times and links. For thousands of files `cp` takes a quarter of the time of `cpSync`. */
export function copyTree(source: string, target: string): void {
  const isFolder = statSync(source).isDirectory();
  mkdirSync(isFolder ? target : dirname(target), { recursive: true });
  execFileSync('cp', ['-RPp', isFolder ? `${source}/.` : source, target]);
}
