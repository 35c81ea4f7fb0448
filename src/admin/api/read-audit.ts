import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readErrorCode } from '../../util/system-error.ts';
import { AdminRefusal } from '../refusal.ts';
import type { AuditEntry, AuditPage } from './audit-entry.ts';

/** Position in the log: the name of a file, and the number of lines of the file that are older. */
const POSITION = /^([\w.-]{1,64})~(\d{1,9})$/;

/**
 * Reads the newest entries that are older than a position. One file is in memory at a time.
 * @param files names of the files of the log, oldest first
 * @param before position from an earlier page; undefined for the newest entries
 * @throws AdminRefusal for a position that the log never had
 */
export async function readAuditPage(
  folder: string,
  files: readonly string[],
  limit: number,
  before: string | undefined,
): Promise<AuditPage> {
  const [, file, lines] = POSITION.exec(before ?? '') ?? [];
  if (before !== undefined && file === undefined)
    throw new AdminRefusal(400, '`before` names no position of the audit log: use `next` of an earlier page');
  const entries: AuditEntry[] = [];
  for (const name of files.toReversed()) {
    if (file !== undefined && name > file) continue;
    const all = await readLines(join(folder, name));
    for (let at = Math.min(all.length, name === file ? Number(lines) : all.length) - 1; at >= 0; at--) {
      if (entries.length === limit) return { entries, next: `${name}~${at + 1}` };
      const entry = parseEntry(all[at] as string);
      if (entry !== undefined) entries.push(entry);
    }
  }
  return { entries };
}

async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n');
  } catch (error) {
    // The file was the oldest one, and has been removed since the files were listed.
    if (readErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the entry of a line; undefined for an incomplete line, whose change was not acknowledged. */
function parseEntry(line: string): AuditEntry | undefined {
  try {
    return line === '' ? undefined : (JSON.parse(line) as AuditEntry);
  } catch {
    return undefined;
  }
}
