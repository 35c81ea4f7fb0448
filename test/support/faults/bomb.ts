import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { BOMB_BYTES } from './fault.ts';

const BLOCK_BYTES = 1024 * 1024;
const ZEROS: Buffer = Buffer.alloc(BLOCK_BYTES, '0');
const HEAD = '{"jsonrpc":"2.0","id":';
const TAIL = '"}';

/** A response to `id` with `BOMB_BYTES` of hex as concatenated gzip members, about a thousandth of that size. */
export function createGzipBomb(id: unknown): Buffer {
  const block = gzipSync(ZEROS);
  return Buffer.concat([
    gzipSync(`${HEAD}${JSON.stringify(id)},"result":"0x`),
    ...new Array<Buffer>(BOMB_BYTES / BLOCK_BYTES).fill(block),
    gzipSync(TAIL),
  ]);
}

/** The payload of one permessage-deflate message (RFC 7692) that inflates to a response to `id` with `BOMB_BYTES` of hex. */
export function createDeflateBomb(id: unknown): Buffer {
  const flush = { finishFlush: constants.Z_FULL_FLUSH };
  const block = deflateRawSync(ZEROS, flush);
  return Buffer.concat([
    deflateRawSync(`${HEAD}${JSON.stringify(id)},"result":"0x`, flush),
    ...new Array<Buffer>(BOMB_BYTES / BLOCK_BYTES).fill(block),
    deflateRawSync(TAIL, flush),
  ]);
}
