const TIMEOUT_MS = 3_000;
/** Maximum size of a fetched key set, bytes. The limit is enough for hundreds of keys with certificates. */
const MAX_BYTES = 256 * 1024;
/** Maximum number of chunks in a response. Without the limit, a response in one-byte chunks would block the event loop for tens of ms. */
const MAX_PIECES = 1_024;
const HEADERS = {
  accept: 'application/json, application/jwk-set+json',
  'accept-encoding': 'identity',
  'user-agent': 'portcullis',
} as const;

/**
 * Fetches the text of a JSON Web Key Set. Redirects are not followed.
 * @throws Error if the request fails or times out, or if the response is too large, compressed, or not of status 200
 */
export async function fetchKeySet(url: string): Promise<string> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const sent = request(url, { headers: HEADERS, agent: false, signal });
    const fail = (): void => {
      sent.destroy();
      reject(new Error('the answer is not a key set, or it is too large'));
    };
    sent.on('error', reject);
    sent.once('response', (response) => {
      const { statusCode, headers } = response;
      const pieces: Uint8Array[] = [];
      let bytes = 0;
      response.on('error', fail);
      response.on('data', (piece: Uint8Array) => {
        bytes += piece.length;
        pieces.push(piece);
        if (bytes > MAX_BYTES || pieces.length > MAX_PIECES) fail();
      });
      response.once('end', () => resolve(Buffer.concat(pieces).toString()));
      if (statusCode !== 200 || (headers['content-encoding'] ?? 'identity') !== 'identity') fail();
    });
    sent.end();
  });
}
