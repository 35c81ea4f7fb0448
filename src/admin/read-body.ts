import type { IncomingMessage } from 'node:http';
import { AdminRefusal } from './refusal.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Reads the whole body.
 * @throws Refusal when it is too large or breaks off
 */
export async function readAdminBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > MAX_BODY_BYTES) break;
      pieces.push(piece);
    }
  } catch {
    throw new AdminRefusal(400, 'the body broke off');
  }
  if (size > MAX_BODY_BYTES) {
    throw new AdminRefusal(413, `the body exceeds ${MAX_BODY_BYTES} bytes`, { Connection: 'close' });
  }
  return Buffer.concat(pieces);
}
