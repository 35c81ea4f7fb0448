import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
const SOURCE = process.env['PORTCULLIS_VECTORS'] ?? resolve(ROOT, '../shared/vectors');
const UNPACKED = join(ROOT, 'build/vectors');

/** Folder of an unpacked third-party conformance set; undefined where it is not installed. Tests then skip with `SKIP_REASON` in the report. */
export function findVectors(name: string): string | undefined {
  const target = join(UNPACKED, name);
  if (existsSync(target)) return target;
  const archive = join(SOURCE, `${name}.tar.xz`);
  if (!existsSync(archive)) return undefined;
  // Unpacks into a temporary folder and renames it: test files run at the same time and may need the same set.
  mkdirSync(UNPACKED, { recursive: true });
  const aside = mkdtempSync(join(UNPACKED, '.unpacking-'));
  try {
    execFileSync('tar', ['-xJf', archive, '-C', aside]);
    renameSync(join(aside, findOnlyFolder(aside, archive)), target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return target;
}

/** An archive holds one folder, which need not have the archive's name. */
function findOnlyFolder(parent: string, archive: string): string {
  const [folder, ...others] = readdirSync(parent);
  if (folder === undefined || others.length > 0) throw new Error(`${archive} does not hold one folder`);
  return folder;
}

export const SKIP_REASON: string =
  'conformance data not found: unpack it beside the project or name its folder in PORTCULLIS_VECTORS';
