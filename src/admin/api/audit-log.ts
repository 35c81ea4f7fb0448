import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolders } from '../../util/lmdb-folder.ts';
import { describeSystemError, readErrorCode } from '../../util/system-error.ts';
import { AdminRefusal } from '../refusal.ts';
import type { AuditEntry, AuditPage } from './audit-entry.ts';
import { readAuditPage } from './read-audit.ts';

/** Size above which a new file is begun, bytes. */
const FILE_BYTES = 4 * 1024 * 1024;
/** Maximum number of files; the oldest file is removed when a new one is begun. The whole log has about 64 MiB at most. */
const MAX_FILES = 16;
/** Maximum size of the log, bytes: the oldest file is removed after the newest has been begun. */
export const MAX_AUDIT_BYTES: number = (MAX_FILES + 1) * FILE_BYTES;
const SUFFIX = '.jsonl';
/** Digits of the number of a file, so that names sort by number. */
const DIGITS = 9;
const NEWLINE = 0x0a;

export type AuditLogOptions = {
  /** Folder of the log, which is created with the first line. */
  readonly folder: string;
  readonly fileBytes?: number;
  readonly maxFiles?: number;
};

/**
 * Append-only log of changes, one JSON object per line. Files are numbered and never renamed or rewritten, so that no process loses the lines of
 * another process with the same folder. A line is on disk (fdatasync) when `append` resolves.
 */
export class AuditLog {
  readonly #folder: string;
  readonly #fileBytes: number;
  readonly #maxFiles: number;
  #file: FileHandle | undefined;
  /** Last append. Appends run one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor({ folder, fileBytes = FILE_BYTES, maxFiles = MAX_FILES }: AuditLogOptions) {
    this.#folder = folder;
    this.#fileBytes = fileBytes;
    this.#maxFiles = maxFiles;
  }

  /** Appends a line; resolves when the line is on disk. @throws AdminRefusal if the line cannot be written */
  async append(entry: AuditEntry): Promise<void> {
    const written = this.#last.then(() => this.#write(`${JSON.stringify(entry)}\n`));
    this.#last = written.catch(() => {});
    try {
      await written;
    } catch (error) {
      throw new AdminRefusal(503, `the audit log cannot be written: ${describeSystemError(error)}`);
    }
  }

  /**
   * Reads a page of the log.
   * @param before `next` of an earlier page; undefined for the newest entries
   * @throws AdminRefusal if `before` names no position of the log
   */
  async read(limit: number, before: string | undefined): Promise<AuditPage> {
    await this.#last;
    return readAuditPage(this.#folder, await this.#listFiles(), limit, before);
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #write(line: string): Promise<void> {
    try {
      const file = await this.#openFile();
      await file.appendFile(line);
      await file.datasync();
    } catch (error) {
      // The file may end with a part of the line, which must be ended before the next line: `#continueFile` does so.
      const file = this.#file;
      this.#file = undefined;
      await file?.close().catch(() => {});
      throw error;
    }
  }

  /** Returns the file for the next line: the newest file while it has room, otherwise a new one. */
  async #openFile(): Promise<FileHandle> {
    this.#file ??= await this.#continueFile();
    if (this.#file !== undefined && (await this.#file.stat()).size < this.#fileBytes) return this.#file;
    const full = this.#file;
    this.#file = undefined;
    await full?.close();
    this.#file = await this.#beginFile();
    return this.#file;
  }

  /** Opens the newest file, which an earlier process or a failed append may have left; undefined if there is none. */
  async #continueFile(): Promise<FileHandle | undefined> {
    makeFolders(this.#folder);
    await syncFolder(dirname(this.#folder));
    await syncFolder(this.#folder);
    const newest = (await this.#listFiles()).at(-1);
    return newest === undefined ? undefined : openFor(join(this.#folder, newest), endLine);
  }

  async #beginFile(): Promise<FileHandle> {
    const number = Number.parseInt((await this.#listFiles()).at(-1) ?? '0', 10) + 1;
    // The process id makes the names different if two processes begin a file at the same time.
    const name = `${String(number).padStart(DIGITS, '0')}-${process.pid}${SUFFIX}`;
    return openFor(join(this.#folder, name), async () => {
      const old = (await this.#listFiles()).slice(0, -this.#maxFiles);
      for (const oldest of old) await rm(join(this.#folder, oldest), { force: true });
      await syncFolder(this.#folder);
    });
  }

  /** Lists the names of the files, oldest first. */
  async #listFiles(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => name.endsWith(SUFFIX)).sort();
    } catch (error) {
      if (readErrorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }
}

/** Opens a file and prepares it for lines. If that fails, the file is closed. */
async function openFor(path: string, prepare: (file: FileHandle) => Promise<void>): Promise<FileHandle> {
  const file = await open(path, 'a+', 0o600);
  try {
    await prepare(file);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Ends the last line, which is incomplete if the process was killed or the disk was full while the line was written. */
async function endLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) return;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  if (last[0] !== NEWLINE) await file.appendFile('\n');
}

/** Makes the names of new files durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
