import { randomBytes } from 'node:crypto';
import type { CacheKey, NameHashes } from './cache.ts';

/** Maximum length of a block hash. */
const MAX_HASH_UNITS = 256;
const SPACE = 0x20;
/** Bytes allocated beyond `maxBytes`: enough for one more UTF-8 character. */
const SPARE_BYTES = 8;
const KEY_WORDS = 2;
const FNV_PRIME = 0x01000193;
/** Hash key, the same for all writers of this process, so that hashes stored with a cache key are valid for each writer. */
const SECRET = new Uint32Array(KEY_WORDS);
randomBytes(4 * KEY_WORDS).copy(Buffer.from(SECRET.buffer));

/**
 * Encodes the name of a key to bytes and hashes it, one name at a time. The block hash comes first and ends with a space. Block hashes contain no
 * spaces, so different keys have different names.
 *
 * Names are hashed with HalfSipHash-1-3 and a secret key of this process, so clients cannot construct collisions.
 */
export class NameWriter {
  readonly #maxBytes: number;
  /** Block hash currently in `bytes`. */
  #blockHash: string | undefined;
  #blockDigest: number | undefined;
  readonly bytes: Buffer;
  /** Word view of `bytes`; the last word of a name is padded with zeros. */
  readonly words: Uint32Array;
  /** Length of the name, bytes. */
  length = 0;
  /** Length of the block part of the name, including the space, bytes. */
  blockLength = 0;
  /** Whether the request part is encoded in UTF-16 instead of ASCII. UTF-16 also distinguishes strings with lone surrogates. */
  isWide = false;
  hash = 0;
  /** Second hash of the name in `bytes`. */
  tag = 0;

  /** @param maxBytes maximum length of a name, at least 1 KiB */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.bytes = Buffer.from(new ArrayBuffer((maxBytes + SPARE_BYTES + 7) & ~7));
    this.words = new Uint32Array(this.bytes.buffer, 0, this.bytes.length >> 2);
  }

  /** Writes and hashes a name. @returns false if the name is too long */
  write(key: CacheKey): boolean {
    const { blockHash, request } = key;
    if (!this.writeBlock(blockHash)) return false;
    const { bytes, blockLength } = this;
    const units = request.length;
    this.length = blockLength + units;
    if (this.length > this.#maxBytes) return false;
    // Non-ASCII text has more UTF-8 bytes than UTF-16 units. Because of `SPARE_BYTES`, `write` returns more than `units` even if only a part of the
    // text fits.
    this.isWide = bytes.write(request, blockLength, 'utf8') !== units;
    if (this.isWide) {
      this.length = blockLength + 2 * units;
      if (this.length > this.#maxBytes) return false;
      bytes.write(request, blockLength, 'utf16le');
    }
    for (let at = this.length; at % 4 !== 0; at++) bytes[at] = 0;
    key.hashes ??= this.#computeHashes(this.length);
    this.hash = key.hashes.hash >>> 0;
    this.tag = key.hashes.tag >>> 0;
    return true;
  }

  /** Writes the block part, which all names of a block share. @returns false if the block part is too long */
  writeBlock(blockHash: string): boolean {
    // The block part is often the same in consecutive names.
    if (blockHash === this.#blockHash) return true;
    if (blockHash.length > MAX_HASH_UNITS) return false;
    this.#blockHash = blockHash;
    const written = this.bytes.write(blockHash, 0, 'utf8');
    this.bytes[written] = SPACE;
    this.blockLength = written + 1;
    this.#blockDigest = undefined;
    return true;
  }

  /** Returns a hash of the block part; different blocks may have the same hash. */
  hashBlock(): number {
    this.#blockDigest ??= this.#computeBlockHash();
    return this.#blockDigest;
  }

  #computeBlockHash(): number {
    const { bytes, words, blockLength } = this;
    let hash = SECRET[0] as number;
    for (let i = 0; i < blockLength >> 2; i++) hash = Math.imul(hash ^ (words[i] as number), FNV_PRIME);
    for (let at = blockLength & ~3; at < blockLength; at++)
      hash = Math.imul(hash ^ (bytes[at] as number), FNV_PRIME);
    return (hash ^ (hash >>> 15)) >>> 0;
  }

  #computeHashes(length: number): NameHashes {
    const { words } = this;
    const count = (length + 3) >> 2;
    const k0 = SECRET[0] as number;
    const k1 = SECRET[1] as number;
    let hash = 0;
    let v0 = k0;
    let v1 = k1 ^ 0xee;
    let v2 = k0 ^ 0x6c796765;
    let v3 = k1 ^ 0x74656462;
    // One round per word of the name, one for the length of the name, and three finalization rounds for each of the two hashes.
    for (let i = 0; i < count + 7; i++) {
      const word = i < count ? (words[i] as number) : i === count ? length : 0;
      if (i <= count) v3 ^= word;
      else if (i === count + 1) v2 ^= 0xee;
      else if (i === count + 4) {
        hash = v1 ^ v3;
        v1 ^= 0xdd;
      }
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      if (i <= count) v0 ^= word;
    }
    return { hash, tag: v1 ^ v3 };
  }
}
