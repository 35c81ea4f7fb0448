import type { Network } from '../methods/network.ts';

/** A network and its host names: exact names, or `*.suffix` for every name below a suffix. */
export type NetworkBinding = { readonly hosts: readonly string[]; readonly network: Network };

/** Maximum length of a DNS name; longer names are not looked up. */
const MAX_HOST_LENGTH = 253;
const HOST_PATTERN = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i;
const IPV6_PATTERN = /^(\[[0-9a-f:.]+\]|[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*)$/i;

/** Matches hosts that an attacker cannot use for DNS rebinding: `localhost` and IP addresses. */
const OWN_ADDRESS = /^(localhost|[0-9.]+|[0-9a-f.]*:[0-9a-f:.]*)$/;

/** Finds the network for a Host header or a path. */
export class NetworkRegistry {
  readonly #byName = new Map<string, Network>();
  /** Networks by suffix, including the leading dot. */
  readonly #bySuffix = new Map<string, Network>();
  readonly #defaultNetwork: Network | undefined;
  /** Networks by their names in the configuration. */
  readonly #networks = new Map<string, Network>();

  /** @throws RangeError for a host pattern that matches no host name, or that is configured twice */
  constructor(bindings: readonly NetworkBinding[], defaultNetwork?: Network) {
    this.#defaultNetwork = defaultNetwork;
    for (const { hosts, network } of bindings) {
      this.#networks.set(network.name, network);
      for (const host of hosts) this.#bind(host, network);
    }
  }

  /** Returns all networks. */
  list(): readonly Network[] {
    return [...this.#networks.values()];
  }

  get(name: string): Network | undefined {
    return this.#networks.get(name);
  }

  /**
   * Finds the network for a Host header. An exact name takes precedence over a wildcard, and a longer wildcard over a shorter one. If nothing
   * matches, the default network is used.
   */
  find(hostHeader: string | undefined): Network | undefined {
    const host = hostHeader === undefined ? undefined : normalizeHost(hostHeader);
    if (host === undefined) return this.#defaultNetwork;
    return this.#byName.get(host) ?? this.#findBySuffix(host) ?? this.#defaultNetwork;
  }

  /** Whether a client of this service may send this Host header: it selects a network, or is `localhost`, an IP address or absent. */
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
      throw new RangeError(`host ${pattern} belongs to both ${other.name} and ${network.name}`);
    }
    map.set(key, network);
  }
}

/** Converts a host to lower case, and removes port, trailing dot and IPv6 brackets; undefined if the text is not a host. */
function normalizeHost(hostHeader: string): string | undefined {
  if (hostHeader.length === 0 || hostHeader.length > MAX_HOST_LENGTH + ':65535'.length) return undefined;
  if (hostHeader.startsWith('[')) {
    const close = hostHeader.indexOf(']');
    return close < 0 ? undefined : hostHeader.slice(1, close).toLowerCase();
  }
  const colon = hostHeader.indexOf(':');
  // A host with several colons and no brackets is an IPv6 address without port; the configuration may contain this form.
  const isBareIpv6 = colon >= 0 && hostHeader.indexOf(':', colon + 1) >= 0;
  const name = colon < 0 || isBareIpv6 ? hostHeader : hostHeader.slice(0, colon);
  const host = (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase();
  return host === '' ? undefined : host;
}
