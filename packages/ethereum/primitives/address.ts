import { concatBytes } from './bytes.ts';
import { bytesToHex } from './hex.ts';
import { keccak256 } from './keccak.ts';
import { encodeRlp } from './rlp.ts';

export const ADDRESS_LENGTH = 20;
export const ZERO_ADDRESS: Uint8Array = new Uint8Array(ADDRESS_LENGTH);

/** Address of the contract that `sender` creates with its transaction of this nonce (CREATE). */
export function createAddress(sender: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(encodeRlp([sender, nonce])).subarray(12);
}

/** Address of a contract that `sender` creates with CREATE2 (EIP-1014). `salt` is 32 bytes. */
export function create2Address(sender: Uint8Array, salt: Uint8Array, initCode: Uint8Array): Uint8Array {
  return keccak256(concatBytes(Uint8Array.of(0xff), sender, salt, keccak256(initCode))).subarray(12);
}

/** Returns the mixed-case checksum form of an address (EIP-55), which geth prints in error messages. */
export function checksumAddress(address: Uint8Array): string {
  const hex = bytesToHex(address).slice(2);
  const hash = bytesToHex(keccak256(Uint8Array.from(hex, (digit) => digit.charCodeAt(0)))).slice(2);
  let text = '0x';
  for (let i = 0; i < hex.length; i++) {
    text += Number.parseInt(hash[i] as string, 16) >= 8 ? (hex[i] as string).toUpperCase() : hex[i];
  }
  return text;
}
