import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { readErrorCode } from '../util/system-error.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import type { TransportShares } from './transport-shares.ts';

/** A body, or why there is none. `gone`: the client left while sending. */
export type RequestBody = Uint8Array | 'tooLarge' | 'malformed' | 'arriving' | 'compressing' | 'gone';

/** Where the memory for a body comes from until it is complete. */
export type BodyMemory = {
  readonly shares: TransportShares;
  readonly owner: string;
  /** Of one body. */
  readonly limit: number;
};

/**
 * Reads a request body. Nothing is kept beyond its limit: the caller decides what happens to the rest.
 */
export function readBody(
  request: IncomingMessage,
  { shares, owner, limit }: BodyMemory,
): Promise<RequestBody> {
  return new Promise((resolve) => {
    const gathered = new GatheredBytes(Math.min(Number(request.headers['content-length'] ?? 0), limit));
    let settled = false;
    const settle = (body: RequestBody): void => {
      settled = true;
      shares.arriving.giveBack(owner, gathered.cost);
      resolve(body);
    };
    request.on('data', (chunk: Buffer) => {
      if (settled) return;
      if (gathered.length + chunk.length > limit) settle('tooLarge');
      else if (!shares.takeArriving(owner, gathered.costOf(chunk))) settle('arriving');
      else gathered.add(chunk);
    });
    request.on('end', () => {
      if (!settled) settle(gathered.join());
    });
    request.on('close', () => {
      if (!settled) settle('gone');
    });
    if (request.destroyed) settle('gone');
  });
}

/** Decompresses in the owner's turn; a body that would grow past `limit` is `tooLarge` and is not held. */
export async function decompressBody(
  body: Uint8Array,
  { shares, owner, limit }: BodyMemory,
  client: Socket,
): Promise<RequestBody> {
  // The result's size is unknown until it is there, so all it may be is taken.
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

/** Closing while the client still sends could lose it the refusal, so this many times the limit is put up with. */
const DISCARD_FACTOR = 4;

/** Reads and drops what is left of a refused request, so that its connection stays usable; a flood ends it. */
export function discardBody(request: IncomingMessage, limit: number): void {
  if (request.complete) return;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > DISCARD_FACTOR * limit) request.socket.destroy();
  });
}
