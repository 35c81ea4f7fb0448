import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** Default maximum file size, bytes: certificates, keys and key sets have a few KiB. */
const MAX_FILE_BYTES: number = 1024 * 1024;
/** Maximum size of a genesis file, bytes: it may have many accounts, and is parsed whole. */
export const MAX_GENESIS_BYTES: number = 512 * 1024 * 1024;
/** Without `O_NONBLOCK`, opening a FIFO waits for its writer, which blocks the whole process. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads a file named by the configuration or a command. Links are followed.
 * @param maxBytes larger files are refused
 * @throws node's error where it cannot be opened; Error naming the actual kind if it is not a regular file, or
 * stating that it is too large, without the file name
 */
export function readRegularFile(file: string, maxBytes: number = MAX_FILE_BYTES): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(file, OPEN_FLAGS);
  } catch (error) {
    // ENXIO means a socket, or a device without a driver.
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

/** @throws Error naming the actual kind if it is not a regular file */
export function requireRegular(stats: Stats): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw new Error('is a folder');
  throw new Error(describeKind(stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device'));
}

function describeKind(kind: string): string {
  return `is not a file but ${kind}: name a regular file`;
}

/** Reads to the end: the file may have grown since its size was read, and files below /proc have none. */
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
