import { readFileSync } from 'node:fs';
import { PACKAGE_FILE } from './data-paths.ts';

/** Returns the version from package.json. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string }).version;
}
