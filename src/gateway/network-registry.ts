import type { Network } from '../methods/network.ts';

/** A network and the host names it is served under: exact names, or `*.suffix` for everything below a name. */
export type NetworkBinding = { readonly hosts: readonly string[]; readonly network: Network };

/** Longest name that DNS has; nothing longer is looked up. */
const MAX_HOST_LENGTH = 253;
const HOST_PATTERN = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i;
const IPV6_PATTERN = /^(\[[0-9a-f:.]+\]|[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*)$/i;

/** No page has such a name: an address, or the name of the loopback one. */
const OWN_ADDRESS = /^(localhost|[0-9.]+|[0-9a-f.]*:[0-9a-f:.]*)$/;

/** Finds the network that a Host header or a path means. */
export class NetworkRegistry {
  readonly #byName = new Map<string, Network>();
  /** By suffix with its leading dot. */
  readonly #bySuffix = new Map<string, Network>();
  readonly #defaultNetwork: Network | undefined;
  /** By its own name, not a host's. */
  readonly #networks = new Map<string, Network>();

  /** @throws RangeError for a host pattern that cannot match or is given twice. */
  constructor(bindings: readonly NetworkBinding[], defaultNetwork?: Network) {
    this.#defaultNetwork = defaultNetwork;
    for (const { hosts, network } of bindings) {
      this.#networks.set(network.name, network);
      for (const host of hosts) this.#bind(host, network);
    }
  }

  /** All of them. */
  list(): readonly Network[] {
    return [...this.#networks.values()];
  }

  /** The network of this name. */
  get(name: string): Network | undefined {
    return this.#networks.get(name);
  }

  /** An exact name wins over a wildcard, a longer wildcard over a shorter one, all over the default network. */
  find(hostHeader: string | undefined): Network | undefined {
    const host = hostHeader === undefined ? undefined : normalizeHost(hostHeader);
    if (host === undefined) return this.#defaultNetwork;
    return this.#byName.get(host) ?? this.#findBySuffix(host) ?? this.#defaultNetwork;
  }

  /**
   * Whether a Host header is one that clients of this service send: a name of a network, `localhost`, an IP address, or none.
   */
  expects(hostHeader: string | undefined): boolean {
    if (this.find(hostHeader) !== undefined) return true;
    const host = hostHeader === undefined ? undefined : normalizeHost(hostHeader);
    return host === undefined || OWN_ADDRESS.test(host);
  }

  #findBySuffix(host: string): Network | undefined {
    if (this.#bySuffix.size === 0) return undefined;
    for (let dot = host.indexOf('.'); dot > 0; dot = host.indexOf('.', dot + 1)) {
      const network = this.#bySuffix.get(host.slice(dot));
      if (network !== undefined) return network;
    }
    return undefined;
  }

  #bind(pattern: string, network: Network): void {
    const isWildcard = pattern.startsWith('*.');
    const host = normalizeHost(isWildcard ? pattern.slice(2) : pattern);
    if (host === undefined || !(HOST_PATTERN.test(pattern) || IPV6_PATTERN.test(pattern))) {
      throw new RangeError(`not a host name or *.host name (without port): ${pattern}`);
    }
    const [map, key] = isWildcard ? [this.#bySuffix, `.${host}`] : [this.#byName, host];
    const other = map.get(key);
    if (other !== undefined) {
      throw new RangeError(`host ${pattern} is given to both ${other.name} and ${network.name}`);
    }
    map.set(key, network);
  }
}

/** Lower case, without port, trailing dot and the brackets of an IPv6 literal; undefined when it is no host at all. */
function normalizeHost(hostHeader: string): string | undefined {
  if (hostHeader.length === 0 || hostHeader.length > MAX_HOST_LENGTH + ':65535'.length) return undefined;
  if (hostHeader.startsWith('[')) {
    const close = hostHeader.indexOf(']');
    return close < 0 ? undefined : hostHeader.slice(1, close).toLowerCase();
  }
  const colon = hostHeader.indexOf(':');
  // Several colons without brackets: a bare IPv6 literal, as a configuration may write it.
  const isBareIpv6 = colon >= 0 && hostHeader.indexOf(':', colon + 1) >= 0;
  const name = colon < 0 || isBareIpv6 ? hostHeader : hostHeader.slice(0, colon);
  const host = (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase();
  return host === '' ? undefined : host;
}
