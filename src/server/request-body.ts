import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ByteBudget } from '../util/byte-budget.ts';
import { readErrorCode } from '../util/system-error.ts';
import type { Connection } from './connection.ts';

/** A body, or why there is none. `gone`: the client left while sending. */
export type RequestBody = Uint8Array | 'tooLarge' | 'malformed' | 'overloaded' | 'gone';

const gunzipAsync = promisify(gunzip);

/**
 * Reads a request body of at most `limit` bytes; the memory for it comes out of `budget` until it is complete.
 * Nothing is kept beyond the limit: the caller decides what happens to the rest.
 */
export function readBody(request: IncomingMessage, limit: number, budget: ByteBudget): Promise<RequestBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let settled = false;
    const settle = (body: RequestBody): void => {
      settled = true;
      budget.giveBack(size);
      resolve(body);
    };
    request.on('data', (chunk: Buffer) => {
      if (settled) return;
      if (size + chunk.length > limit) settle('tooLarge');
      else if (!budget.tryTake(chunk.length)) settle('overloaded');
      else {
        size += chunk.length;
        chunks.push(chunk);
      }
    });
    request.on('end', () => {
      if (!settled) settle(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    });
    request.on('close', () => {
      if (!settled) settle('gone');
    });
    if (request.destroyed) settle('gone');
  });
}

/** Decompresses on the thread pool; a body that would grow past `limit` is `tooLarge` and is not held. */
export async function decompressBody(
  body: Uint8Array,
  limit: number,
  budget: ByteBudget,
): Promise<RequestBody> {
  // The result's size is unknown until it is there, so all it may be is taken.
  if (!budget.tryTake(limit)) return 'overloaded';
  try {
    return await gunzipAsync(body, { maxOutputLength: limit });
  } catch (error) {
    return readErrorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? 'tooLarge' : 'malformed';
  } finally {
    budget.giveBack(limit);
  }
}

/** Closing while the client still sends could lose it the refusal, so this many times the limit is put up with. */
const DISCARD_FACTOR = 4;

/** Reads and drops what is left of a refused request, so that its connection stays usable; a flood ends it. */
export function discardBody(request: IncomingMessage, limit: number, connection: Connection): void {
  if (request.complete) return;
  let size = 0;
  connection.isDiscarding = true;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > DISCARD_FACTOR * limit) request.socket.destroy();
  });
  request.once('end', () => {
    connection.isDiscarding = false;
  });
}
