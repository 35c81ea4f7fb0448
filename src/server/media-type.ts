/** Accepted content types of JSON-RPC requests, the same as in geth. */
const JSON_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
]);

/** Whether a Content-Type header is one of the accepted JSON types. Parameters are ignored; a missing header is not accepted. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  if (contentType === undefined) return false;
  const semicolon = contentType.indexOf(';');
  const type = semicolon < 0 ? contentType : contentType.slice(0, semicolon);
  return JSON_TYPES.has(type.trim().toLowerCase());
}

/** Parses the Content-Encoding of a request body; `undefined` if this server does not support the coding. */
export function parseContentEncoding(header: string | undefined): 'identity' | 'gzip' | undefined {
  if (header === undefined) return 'identity';
  switch (header.trim().toLowerCase()) {
    case '':
    case 'identity':
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    default:
      return undefined;
  }
}
