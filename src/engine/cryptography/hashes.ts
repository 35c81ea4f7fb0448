import { getHashes, hash } from 'node:crypto';
import { ripemd160 as nobleRipemd160 } from '@noble/hashes/legacy.js';

function toBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

/** 32 bytes. */
export function sha256(data: Uint8Array): Uint8Array {
  return toBytes(hash('sha256', data, 'buffer'));
}

/** Builds of OpenSSL that keep to approved hashes lack it. */
const hasNativeRipemd160: boolean = getHashes().includes('ripemd160');

/** 20 bytes. */
export function ripemd160(data: Uint8Array): Uint8Array {
  return hasNativeRipemd160 ? toBytes(hash('ripemd160', data, 'buffer')) : nobleRipemd160(data);
}
