import { createHash, getHashes, hash } from 'node:crypto';
import { ripemd160 as nobleRipemd160 } from '@noble/hashes/legacy.js';
import type { Steps } from '../../evm/precompiles/steps.ts';

/** Bytes hashed per step, 0.1 to 0.7 ms. */
const PIECE_BYTES: number = 128 << 10;

/** Interface common to the hashes of node and of noble. */
type Hash = { update(data: Uint8Array): unknown; digest(): Uint8Array };

function toBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

function* hashSteps(data: Uint8Array, digest: Hash): Steps<Uint8Array> {
  for (let at = 0; at < data.length; at += PIECE_BYTES) {
    digest.update(data.subarray(at, at + PIECE_BYTES));
    yield;
  }
  return new Uint8Array(digest.digest());
}

/** SHA-256 digest, 32 bytes. */
export function hashSha256(data: Uint8Array): Uint8Array {
  return toBytes(hash('sha256', data, 'buffer'));
}

export function sha256Steps(data: Uint8Array): Steps<Uint8Array> {
  return hashSteps(data, createHash('sha256'));
}

/** False on OpenSSL builds that restrict hashes to approved ones. */
const hasNativeRipemd160: boolean = getHashes().includes('ripemd160');

/** RIPEMD-160 digest, 20 bytes. */
export function ripemd160(data: Uint8Array): Uint8Array {
  return hasNativeRipemd160 ? toBytes(hash('ripemd160', data, 'buffer')) : nobleRipemd160(data);
}

export function ripemd160Steps(data: Uint8Array): Steps<Uint8Array> {
  return hashSteps(data, hasNativeRipemd160 ? createHash('ripemd160') : nobleRipemd160.create());
}
