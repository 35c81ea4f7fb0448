import type { OnReadOpts, Socket } from 'node:net';

/** Maximum bytes of one read. */
const READ_BYTES: number = 128 * 1024;
/** Shorter reads are copied to memory of their own length; longer ones fill at least half of a pooled buffer. */
const LEAST_LENT = 64 * 1024;
/** Maximum free buffers in the pool. */
const MAX_FREE = 32;

/** A pooled buffer in use, and the end of its needed bytes. */
type Lent = { readonly buffer: Buffer; end: number };

/** Shared by all sockets: node calls back synchronously after each read, and `handOn` copies the bytes. */
const scratch: Buffer = Buffer.allocUnsafeSlow(READ_BYTES);
const free: Buffer[] = [];
const lent = new WeakMap<ArrayBufferLike, Lent>();

function handOn(this: Socket, bytes: number, read: Buffer): boolean {
  if (bytes < LEAST_LENT) return this.push(Buffer.from(read.subarray(0, bytes)));
  const buffer = free.pop() ?? Buffer.allocUnsafeSlow(READ_BYTES);
  read.copy(buffer, 0, 0, bytes);
  lent.set(buffer.buffer, { buffer, end: bytes });
  return this.push(buffer.subarray(0, bytes));
}

/**
 * Socket option: long reads go to pooled buffers, which `giveBack` returns to the pool and the garbage collector
 * frees otherwise; an idle socket holds none. Without it each read allocates 64 KiB: a proxy of two sockets took
 * 1.7 ms instead of 0.83 for 1.15 MB. The stream's bytes are equal.
 */
export const READ_MEMORY: OnReadOpts = {
  buffer: scratch,
  // node calls it as a method of the socket.
  callback: handOn as OnReadOpts['callback'],
};

/** Declares that nothing after this piece of a read is needed. */
export function dropRest({ buffer, byteOffset, length }: Uint8Array): void {
  const loan = lent.get(buffer);
  if (loan !== undefined) loan.end = byteOffset + length;
}

/**
 * Returns a read's buffer to the pool once its last needed piece has been written. Earlier pieces of the read must
 * be written by then, and nothing may keep any of them. Does nothing for other memory, or for a piece that is not
 * the last one.
 */
export function giveBack({ buffer, byteOffset, length }: Uint8Array): void {
  const loan = lent.get(buffer);
  if (loan?.end !== byteOffset + length) return;
  lent.delete(buffer);
  if (free.length < MAX_FREE) free.push(loan.buffer);
}
