import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { readErrorCode } from '../util/system-error.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import type { TransportShares } from './transport-shares.ts';

/** A body, or the reason why there is none. `arriving` and `compressing`: a bound has no room; `gone`: the client disconnected while sending. */
export type RequestBody = Uint8Array | 'tooLarge' | 'malformed' | 'arriving' | 'compressing' | 'gone';

/** Shared memory, owner and size limit for reading a body. */
export type BodyMemory = {
  readonly shares: TransportShares;
  readonly owner: string;
  /** Maximum size of one body, bytes. */
  readonly limit: number;
};

/** Reads a request body. Bytes beyond the limit are not buffered; the caller must handle the rest of the body. */
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

/** Decompresses a body in a compression slot of the owner. Returns `tooLarge` if the decompressed body would exceed `limit`. */
export async function decompressBody(
  body: Uint8Array,
  { shares, owner, limit }: BodyMemory,
  client: Socket,
): Promise<RequestBody> {
  // The size of the decompressed body is unknown in advance, so `limit` bytes are reserved.
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

/**
 * The rest of a refused body is read up to this multiple of the body limit. If the connection were closed while the client still sends its body, the
 * client might not get the refusal.
 */
const DISCARD_FACTOR = 4;

/**
 * Reads and drops the rest of a refused request, so that its connection can be reused. The connection is destroyed if the rest of the request exceeds
 * `DISCARD_FACTOR` times `limit`.
 */
export function discardBody(request: IncomingMessage, limit: number): void {
  if (request.complete) return;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > DISCARD_FACTOR * limit) request.socket.destroy();
  });
}
