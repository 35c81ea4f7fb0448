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

/** Whether an Accept-Encoding header allows gzip (RFC 9110 12.5.3). */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  let wildcard = false;
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const refused = parameters.some((parameter) => /^q\s*=\s*0(\.0{0,3})?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return !refused;
    if (coding === '*') wildcard = !refused;
  }
  return wildcard;
}
