import { BlockList, isIP } from 'node:net';
import { normalizeAddress } from './ip-address.ts';

/** Named address ranges (RFC 1122, RFC 1918, RFC 4193, RFC 4291, RFC 6598). */
const NAMED_RANGES: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fe80::/10']],
]);

/** Maximum number of cached look-ups. */
const MAX_KNOWN = 4_096;
const PREFIX = /^(0|[1-9]\d{0,2})$/;

type Range = { readonly address: string; readonly family: 'ipv4' | 'ipv6'; readonly prefix: number };

/** Whether a row of `listen.trustedProxies` is valid. */
export function isProxyRange(text: string): boolean {
  return NAMED_RANGES.has(text) || parseRange(text) !== undefined;
}

/** Proxies trusted to report the client's address. */
export class TrustedProxies {
  readonly #ranges = new BlockList();
  /** Cached results by address: a look-up in the ranges takes 600 ns, and the same few addresses recur. */
  readonly #known = new Map<string, boolean>();

  /** @throws RangeError for text that is neither an address, a range in CIDR form, nor the name of a range */
  constructor(rows: readonly string[]) {
    for (const text of rows.flatMap((row) => NAMED_RANGES.get(row) ?? [row])) {
      const range = parseRange(text);
      if (range === undefined) throw new RangeError(`not an address or a range of addresses: ${text}`);
      this.#ranges.addSubnet(range.address, range.prefix, range.family);
    }
  }

  /** @param address normalized address */
  has(address: string): boolean {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const found = address !== '' && this.#ranges.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(address, found);
    return found;
  }
}

function parseRange(text: string): Range | undefined {
  const slash = text.indexOf('/');
  const written = slash < 0 ? text : text.slice(0, slash);
  const address = normalizeAddress(written);
  // IPv4-mapped addresses are rejected, because their prefix length counts the bits of the IPv6 form.
  if (address === undefined || isIP(address) !== isIP(written)) return undefined;
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const bits = family === 'ipv6' ? 128 : 32;
  if (slash < 0) return { address, family, prefix: bits };
  const prefix = text.slice(slash + 1);
  return PREFIX.test(prefix) && Number(prefix) <= bits
    ? { address, family, prefix: Number(prefix) }
    : undefined;
}
