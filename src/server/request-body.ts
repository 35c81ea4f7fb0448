import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { readErrorCode } from '../util/system-error.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import type { TransportShares } from './transport-shares.ts';

/** A body, or the reason for its absence. `gone`: the client left while sending. */
export type RequestBody = Uint8Array | 'tooLarge' | 'malformed' | 'arriving' | 'compressing' | 'gone';

/** Source of the memory for a body until it is complete. */
export type BodyMemory = {
  readonly shares: TransportShares;
  readonly owner: string;
  /** Maximum size of one body, bytes. */
  readonly limit: number;
};

/** Reads a request body. Nothing is buffered beyond its limit: the caller decides about the rest. */
export function readBody(
  request: IncomingMessage,
  { shares, owner, limit }: BodyMemory,
): Promise<RequestBody> {
  return new Promise((resolve) => {
    const gathered = new GatheredBytes(Math.min(Number(request.headers['content-length'] ?? 0), limit));
    let completed = false;
    const complete = (body: RequestBody): void => {
      completed = true;
      shares.arriving.giveBack(owner, gathered.cost);
      resolve(body);
    };
    request.on('data', (chunk: Buffer) => {
      if (completed) return;
      if (gathered.length + chunk.length > limit) complete('tooLarge');
      else if (!shares.takeArriving(owner, gathered.costOf(chunk))) complete('arriving');
      else gathered.add(chunk);
    });
    request.on('end', () => {
      if (!completed) complete(gathered.join());
    });
    request.on('close', () => {
      if (!completed) complete('gone');
    });
    if (request.destroyed) complete('gone');
  });
}

/**
 * Decompresses in a scheduler slot of the owner; a body that would grow past `limit` is `tooLarge` and is not
 * buffered.
 */
export async function decompressBody(
  body: Uint8Array,
  { shares, owner, limit }: BodyMemory,
  client: Socket,
): Promise<RequestBody> {
  // The size of the result is unknown until it exists, so its maximum is reserved.
  if (!shares.takeArriving(owner, limit)) return 'arriving';
  try {
    const whole = await shares.compression.decompress(body, limit, owner, client);
    return whole ?? (client.destroyed ? 'gone' : 'compressing');
  } catch (error) {
    return readErrorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? 'tooLarge' : 'malformed';
  } finally {
    shares.arriving.giveBack(owner, limit);
  }
}

/** Closing while the client still sends could lose the refusal, so up to this many times the limit is tolerated. */
const DISCARD_FACTOR = 4;

/**
 * Reads and drops the rest of a refused request, so that its connection stays usable; a flood ends the connection.
 */
export function discardBody(request: IncomingMessage, limit: number): void {
  if (request.complete) return;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > DISCARD_FACTOR * limit) request.socket.destroy();
  });
}
