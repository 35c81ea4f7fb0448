import { groupAddress } from './group-address.ts';

/**
 * The name under which a caller holds parts of shared bounds: its key once that is known, else its address (IPv6: the /64).
 * The prefixes keep an id from being taken for an address.
 */
export function nameOwner(address: string, keyId?: string): string {
  return keyId === undefined ? `address:${groupAddress(address)}` : `key:${keyId}`;
}
