import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
const SOURCE = process.env['PORTCULLIS_VECTORS'] ?? resolve(ROOT, '../shared/vectors');
const UNPACKED = join(ROOT, 'build/vectors');

/**
 * Folder of an unpacked set of third-party conformance data; undefined where this machine has none. Whoever
 * gets undefined skips aloud with `SKIP_REASON`.
 */
export function findVectors(name: string): string | undefined {
  const target = join(UNPACKED, name);
  if (existsSync(target)) return target;
  const archive = join(SOURCE, `${name}.tar.xz`);
  if (!existsSync(archive)) return undefined;
  // Unpacked aside and moved into place: test files run at the same time and may want the same set.
  const aside = join(UNPACKED, `.${process.pid}`);
  mkdirSync(aside, { recursive: true });
  execFileSync('tar', ['-xJf', archive, '-C', aside]);
  try {
    renameSync(join(aside, name), target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
  return target;
}

export const SKIP_REASON: string =
  'conformance data not found: unpack it beside the project or name its folder in PORTCULLIS_VECTORS';
