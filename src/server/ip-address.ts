import { isIPv4, isIPv6, SocketAddress } from 'node:net';

const MAPPED = '::ffff:';
/** Maximum length of an IPv6 address in text form with brackets and a port. */
const MAX_LENGTH = 45 + '[]:65535'.length;
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*)):\d{1,5}$/;
const BRACKETED = /^\[([^\]]*)\]$/;

/** Returns the canonical text of an IP address, or undefined for any other text. IPv4-mapped IPv6 becomes IPv4, and a zone is removed. */
export function normalizeAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return undefined;
  const zone = text.indexOf('%');
  const { address } = new SocketAddress({
    address: zone < 0 ? text : text.slice(0, zone),
    family: 'ipv6',
  });
  const mapped = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : '';
  return isIPv4(mapped) ? mapped : address;
}

/**
 * Parses an address of `X-Forwarded-For`: with an optional port, and IPv6 with optional brackets. Returns undefined if the text is not an address.
 */
export function parseForwardedAddress(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, bracketed, bare] = WITH_PORT.exec(text) ?? BRACKETED.exec(text) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed) ? normalizeAddress(bracketed) : undefined;
  if (bare !== undefined && isIPv4(bare)) return bare;
  return normalizeAddress(text);
}
