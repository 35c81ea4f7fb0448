import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TextAnswer } from '../gateway/answer.ts';

/** Time limit for a refused client to read the refusal and close, ms. */
const LINGER_MS = 2_000;

/**
 * Sends an answer on a socket that the Node.js HTTP server no longer manages, or does not manage yet, and ends the socket. Further bytes from the
 * client are read and dropped, because a reset could discard the answer.
 */
export function sendRawResponse(socket: Duplex, answer: TextAnswer, headers: readonly string[] = []): void {
  socket.on('error', () => socket.destroy());
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  let text = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  if (answer.retryAfter !== undefined) text += `Retry-After: ${answer.retryAfter}\r\n`;
  text += `Date: ${new Date().toUTCString()}\r\nConnection: close\r\n`;
  text += `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(answer.body)}\r\n\r\n`;
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
  socket.resume();
  socket.end(text + answer.body);
}
