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
 * Layout of a meta page (lmdb 3, file format 2): 24 bytes of page header, then these little-endian fields. They are
 * checked first, since LMDB maps its file into memory and trusts it: a foreign or truncated file kills the process
 * with a signal.
 */
const META = { magic: 24, version: 28, pageSize: 48, lastPage: 144, transaction: 152, end: 160 } as const;
const MAGIC = 0xbeefc0de;
const FORMAT_VERSION = 2;
/** Pages at the end that were freed in the same transaction are never written. */
const UNWRITTEN_PAGES = 16;

/**
 * Ensures that a folder can hold an environment, and that an existing one can be opened.
 * @throws Error naming the folder and the problem
 */
export function prepareLmdbFolder(path: string): void {
  try {
    makeFolder(resolve(path));
    if (!statSync(path).isDirectory()) throw new Error('is not a folder');
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw describeWriteError(path, error);
  }
  checkLmdbFile(path);
  checkSpace(path);
}

/** Describes an error of a folder that cannot be written, including LMDB's own errors. */
export function describeWriteError(path: string, error: unknown): Error {
  return new Error(`${path} cannot be written: ${describeSystemError(error)}`, { cause: error });
}

/** File of an environment's gate (LmdbEnvironment). */
export const GATE_FILE = 'gate.lmdb';
const LOCK_FILES = ['lock.mdb', `${GATE_FILE}-lock`];
/** More than LMDB writes when it first opens an environment and its gate: lock files and two meta pages each. */
const FIRST_BYTES = 64 * 1024;

/**
 * Checks for free space. LMDB maps its lock files into memory before the file system has allocated them: on a full
 * disk the first access ends the process with SIGBUS.
 */
function checkSpace(path: string): void {
  const hasPage = (name: string): boolean =>
    (statSync(join(path, name), { throwIfNoEntry: false })?.blocks ?? 0) > 0;
  // A lock file that was used before has the page that every process needs.
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

/** Creates one level after the other: node's own recursion never ends on file systems that refuse with ENOENT. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (readErrorCode(error) !== 'EEXIST') throw error;
  }
}

/** Whether there is a file to open; an empty one was created by a process that died immediately. */
export function hasLmdbFile(path: string): boolean {
  return readMeta(path) !== undefined;
}

/** @throws Error when the folder holds a file that LMDB must not open */
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

/** Reads both meta pages and the file's size; undefined when the file is missing or empty. */
function readMeta(path: string): { readonly bytes: Buffer; readonly size: number } | undefined {
  let file: number;
  try {
    // `O_NONBLOCK`: opening a FIFO of that name would otherwise block.
    file = openSync(join(path, 'data.mdb'), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} contains a data.mdb that is not a file`);
    const bytes = Buffer.alloc(MAX_PAGE_SIZE + META.end);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    // The size is read after the meta pages, which another process writes once the file has grown: an earlier size
    // might exclude the newest pages.
    const { size } = fstatSync(file);
    return size === 0 ? undefined : { bytes: bytes.subarray(0, length), size };
  } finally {
    closeSync(file);
  }
}
