import { groupAddress } from './group-address.ts';

/**
 * Returns the name of a client as an owner in shared bounds. The name is the client's key once the key is known. Before the key is known, the name is
 * the client's IPv4 address or its IPv6 /64 network. The prefixes prevent collisions between key ids and addresses.
 */
export function nameOwner(address: string, keyId?: string): string {
  return keyId === undefined ? `address:${groupAddress(address)}` : `key:${keyId}`;
}
