import type { IncomingMessage } from 'node:http';
import { AdminRefusal } from './refusal.ts';

/**
 * Reads a JSON body. An empty body is an empty object.
 * @throws AdminRefusal if the body is too large, breaks off, or is not JSON
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new AdminRefusal(415, 'expected application/json');
  }
  const body = await readAdminBody(request, maxBytes);
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new AdminRefusal(400, 'the body is not JSON');
  }
}

async function readAdminBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > maxBytes) break;
      pieces.push(piece);
    }
  } catch {
    throw new AdminRefusal(400, 'the connection closed before the body was complete');
  }
  if (size > maxBytes) {
    throw new AdminRefusal(413, `the body exceeds ${maxBytes} bytes`, { Connection: 'close' });
  }
  return Buffer.concat(pieces);
}
