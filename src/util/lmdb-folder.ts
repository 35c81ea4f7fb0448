import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describeSystemError, readErrorCode } from './system-error.ts';

/**
 * Layout of a meta page (lmdb 3, file format 2): 24 bytes of page header, then these little-endian fields. LMDB maps its file into memory and trusts
 * its content, so a foreign or truncated file kills the process with a signal. The fields of the meta pages are therefore checked before LMDB opens
 * the file.
 */
const META = { magic: 24, version: 28, pageSize: 48, lastPage: 144, transaction: 152, end: 160 } as const;
const MAGIC = 0xbeefc0de;
const FORMAT_VERSION = 2;
/**
 * Number of pages that may be missing at the end of an intact file. LMDB never writes pages at the end of the file that were allocated and freed in
 * the same transaction.
 */
const UNWRITTEN_PAGES = 16;

/**
 * Ensures that LMDB can create or open an environment in a folder.
 * @throws Error that names the folder and the problem
 */
export function prepareLmdbFolder(path: string): void {
  try {
    makeFolders(resolve(path));
    if (!statSync(path).isDirectory()) throw new Error('is not a folder');
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw describeWriteError(path, error);
  }
  checkLmdbFile(path);
  checkSpace(path);
}

/** Describes why a folder cannot be written, for errors of the file system and of LMDB. */
export function describeWriteError(path: string, error: unknown): Error {
  return new Error(`${path} cannot be written: ${describeSystemError(error)}`, { cause: error });
}

/** Name of the file of an environment's gate (see `LmdbEnvironment`). */
export const GATE_FILE = 'gate.lmdb';
const LOCK_FILES = ['lock.mdb', `${GATE_FILE}-lock`];
/** Number of bytes that must be free. LMDB writes less when it first opens an environment and its gate: lock files, and two meta pages each. */
const FIRST_BYTES = 64 * 1024;

/**
 * Checks that the disk has free space. LMDB maps its lock files into memory before the file system has allocated them. On a full disk, the first
 * access would end the process with SIGBUS.
 */
function checkSpace(path: string): void {
  const hasPage = (name: string): boolean =>
    (statSync(join(path, name), { throwIfNoEntry: false })?.blocks ?? 0) > 0;
  // A lock file that was used before already occupies the disk page that every process needs.
  if (process.platform === 'win32' || LOCK_FILES.every(hasPage)) return;
  const probe = join(path, `space-${process.pid}-${Date.now()}`);
  try {
    writeFileSync(probe, Buffer.alloc(FIRST_BYTES));
  } catch (error) {
    throw describeWriteError(path, error);
  } finally {
    rmSync(probe, { force: true });
  }
}

/**
 * Creates a folder and its parents, one level after the other. Node's `recursive` option never returns on file systems that refuse with ENOENT. The
 * outermost created parent is a data folder, which gets a `.gitignore` for all its contents: it often lies in a user's repository, and has keys.
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) ignoreExisting(() => mkdirSync(folder, { mode: 0o700 }));
  const [outermost] = missing;
  if (outermost === undefined || missing.length === 1) return;
  ignoreExisting(() => writeFileSync(join(outermost, '.gitignore'), '*\n', { flag: 'wx' }));
}

/** Runs a function that creates a file, and ignores that the file exists: another process may create it at the same time. */
function ignoreExisting(create: () => void): void {
  try {
    create();
  } catch (error) {
    if (readErrorCode(error) !== 'EEXIST') throw error;
  }
}

/** Whether the folder has a data file to open. An empty data file does not count: it remains if a process dies immediately after creating it. */
export function hasLmdbFile(path: string): boolean {
  return readMeta(path) !== undefined;
}

/**
 * Checks the data file of a folder. A missing or empty file passes the check.
 * @throws Error when the folder contains a data file that LMDB must not open
 */
export function checkLmdbFile(path: string): void {
  const meta = readMeta(path);
  if (meta === undefined) return;
  const { bytes, size } = meta;
  const isMeta = (at: number): boolean =>
    bytes.length >= at + META.end &&
    bytes.readUInt32LE(at + META.magic) === MAGIC &&
    bytes.readUInt32LE(at + META.version) === FORMAT_VERSION;
  if (!isMeta(0)) throw new Error(`${path} contains a data.mdb that is not a store of this program`);
  const pageSize = bytes.readUInt32LE(META.pageSize);
  const pages = [0, pageSize].filter(isMeta);
  const newest = pages.reduce((a, b) =>
    bytes.readBigUInt64LE(b + META.transaction) > bytes.readBigUInt64LE(a + META.transaction) ? b : a,
  );
  const lastPage = Number(bytes.readBigUInt64LE(newest + META.lastPage));
  if (size < (lastPage + 1 - UNWRITTEN_PAGES) * pageSize || size < 2 * pageSize) {
    throw new Error(`${path} contains a data.mdb that is truncated: ${size} bytes`);
  }
}

const MAX_PAGE_SIZE = 65_536;

/** Reads both meta pages, and the file's size. Returns undefined when the file cannot be opened or is empty. */
function readMeta(path: string): { readonly bytes: Buffer; readonly size: number } | undefined {
  let file: number;
  try {
    // Without `O_NONBLOCK`, opening would block if the file is a FIFO.
    file = openSync(join(path, 'data.mdb'), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} contains a data.mdb that is not a file`);
    const bytes = Buffer.alloc(MAX_PAGE_SIZE + META.end);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    // The size is read after the meta pages. Another process writes the meta pages after the file has grown. A size that is read before the meta
    // pages might therefore exclude the newest pages.
    const { size } = fstatSync(file);
    return size === 0 ? undefined : { bytes: bytes.subarray(0, length), size };
  } finally {
    closeSync(file);
  }
}
