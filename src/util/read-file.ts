import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** Default maximum file size, bytes. Certificates, keys and key sets have a few KiB. */
const MAX_FILE_BYTES: number = 1024 * 1024;
/**
 * Maximum size of a genesis file, bytes. A genesis file may list many accounts, and is parsed as one string; a string of V8 has fewer than 512 Mi
 * characters.
 */
export const MAX_GENESIS_BYTES: number = 500 * 1024 * 1024;
/** `O_NONBLOCK` keeps the process from blocking: otherwise opening a FIFO waits for its writer. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads a file that the configuration or a command names. Links are followed.
 * @param maxBytes maximum size; a larger file is refused
 * @throws node's error where the file cannot be opened; Error that names the actual kind of a file that is not regular; Error for a file that is too
 * large. The messages of both `Error`s omit the file name.
 */
export function readRegularFile(file: string, maxBytes: number = MAX_FILE_BYTES): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(file, OPEN_FLAGS);
  } catch (error) {
    // ENXIO means that the file is a socket, or a device without a driver.
    if ((error as NodeJS.ErrnoException).code === 'ENXIO')
      throw new Error(describeKind('a socket or device'));
    throw error;
  }
  try {
    const stats = fstatSync(descriptor);
    requireRegular(stats);
    if (stats.size > maxBytes) throw new Error(`is larger than ${maxBytes} bytes`);
    return readWhole(descriptor, maxBytes);
  } finally {
    closeSync(descriptor);
  }
}

/** @throws Error that names the actual kind of a file that is not regular */
export function requireRegular(stats: Stats): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw new Error('is a folder');
  throw new Error(describeKind(stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device'));
}

function describeKind(kind: string): string {
  return `is not a file but ${kind}: name a regular file`;
}

/**
 * Reads until the end of the file instead of up to its reported size. The file may have grown since the size was read, and files below /proc report
 * no size.
 */
function readWhole(descriptor: number, maxBytes: number): Buffer {
  const pieces: Buffer[] = [];
  let size = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(64 * 1024);
    const length = readSync(descriptor, piece);
    if (length === 0) return Buffer.concat(pieces, size);
    size += length;
    if (size > maxBytes) throw new Error(`is larger than ${maxBytes} bytes`);
    pieces.push(piece.subarray(0, length));
  }
}
