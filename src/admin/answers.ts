import type { ServerResponse } from 'node:http';
import type { AdminRefusal } from './refusal.ts';

/** Headers of every response. The page may load only its own resources. Responses may not be framed, cached or MIME-sniffed. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a complete text as the body. Node omits the body for HEAD. */
export function sendText(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = Buffer.byteLength(text);
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'Content-Type': contentType,
    'Content-Length': length,
    ...headers,
  });
  response.end(text);
}

/** Answers with a refusal as JSON: `{"error": message}`. */
export function sendRefusal(response: ServerResponse, { status, message, headers }: AdminRefusal): void {
  sendText(response, status, JSON_TYPE, `${JSON.stringify({ error: message })}\n`, headers);
}
