import { groupAddress } from './group-address.ts';

/**
 * Returns the owner name of a caller in shared bounds: its key once that is known, otherwise its address (IPv6: the
 * /64). The prefixes prevent collisions of ids and addresses.
 */
export function nameOwner(address: string, keyId?: string): string {
  return keyId === undefined ? `address:${groupAddress(address)}` : `key:${keyId}`;
}
