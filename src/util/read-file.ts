import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** Larger files are refused where no other bound is named: certificates, keys and sets of keys have a few KiB. Bytes. */
const MAX_FILE_BYTES: number = 1024 * 1024;
/** Of a genesis file: its accounts may be many, and it is parsed whole. Bytes. */
export const MAX_GENESIS_BYTES: number = 512 * 1024 * 1024;
/** Without `O_NONBLOCK` opening a FIFO waits for its writer, which stops the whole process. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * The contents of a file that the configuration or a command names. Links are followed.
 * @param maxBytes a larger file is refused
 * @throws node's error where it cannot be opened; Error saying what it is instead of a regular file, or that it is too large, without its name
 */
export function readRegularFile(file: string, maxBytes: number = MAX_FILE_BYTES): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(file, OPEN_FLAGS);
  } catch (error) {
    // A socket, or a device without a driver.
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

/** @throws Error saying what it is instead of a regular file */
export function requireRegular(stats: Stats): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw new Error('is a folder');
  throw new Error(describeKind(stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device'));
}

function describeKind(kind: string): string {
  return `is not a file but ${kind}: name a regular file`;
}

/** To its end: it may have grown since its size was read, and files below /proc have none. */
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
