import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Visitor } from '../gateway/visitor.ts';
import { normalizeAddress, parseForwardedAddress } from './ip-address.ts';
import type { KeyedRoute, RequestHead } from './request-head.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/** Maximum number of proxies in a chain; further entries of X-Forwarded-For are not read. */
const MAX_HOPS = 32;

const NO_ROUTE = { network: undefined, key: undefined };

/** Describes the client of a request: headers, key and network of its path, and its address behind trusted proxies. */
export class VisitorReader {
  /** Undefined if no proxy is trusted, so that X-Forwarded-For is ignored. */
  readonly #proxies: TrustedProxies | undefined;

  /** @param trustedProxies rows of `listen.trustedProxies` */
  constructor(trustedProxies: readonly string[]) {
    this.#proxies = trustedProxies.length === 0 ? undefined : new TrustedProxies(trustedProxies);
  }

  /** @param route undefined if the path has no place for a key */
  describe(head: RequestHead, route: KeyedRoute | undefined, socket: Duplex): Visitor {
    const { host, origin, userAgent, authorization, session, traceParent, forwardedFor } = head;
    const address = this.findAddress(readPeer(socket), forwardedFor);
    const { network, key } = route ?? NO_ROUTE;
    const visitor = { host, network, key, origin, userAgent, authorization, session, traceParent, address };
    if (head.showsTrust !== true && head.isForwarded !== true) return visitor;
    return {
      ...visitor,
      ...(head.showsTrust === true && { showsTrust: true }),
      ...(head.isForwarded === true && { isForwarded: true }),
    };
  }

  /** Whether a connection from this normalized address may carry requests of many clients. */
  isProxy(peer: string): boolean {
    return this.#proxies?.has(peer) ?? false;
  }

  /**
   * Returns the address of the client behind trusted proxies. Each proxy appends the address of its peer to X-Forwarded-For. From the right, the
   * first entry that is not a trusted proxy is the client; the client may have forged all entries to the left of it.
   * @param peer remote address of the connection, normalized
   */
  findAddress(peer: string, forwardedFor: string | undefined): string {
    const proxies = this.#proxies;
    if (proxies === undefined || forwardedFor === undefined) return peer;
    let address = peer;
    let end = forwardedFor.length;
    for (let hop = 0; hop < MAX_HOPS && end >= 0 && proxies.has(address); hop++) {
      const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
      const entry = parseForwardedAddress(forwardedFor.slice(comma + 1, end).trim());
      if (entry === undefined) break;
      address = entry;
      end = comma;
    }
    return address;
  }
}

/** Returns the remote address of a connection; empty if the connection is closed. */
export function readPeer(socket: Duplex): string {
  const address = (socket as Partial<Socket>).remoteAddress;
  if (address === undefined) return '';
  // An address in any other form is already normalized when the kernel reports it.
  return address.startsWith('::ffff:') || address.includes('%')
    ? (normalizeAddress(address) ?? address)
    : address;
}
