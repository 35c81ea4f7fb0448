import { randomBytes } from 'node:crypto';
import type { CacheKey, NameHashes } from './cache.ts';

/** No block has a longer hash. */
const MAX_HASH_UNITS = 256;
const SPACE = 0x20;
/** Behind the longest name: more than the longest character of UTF-8. */
const SPARE_BYTES = 8;
const KEY_WORDS = 2;
const FNV_PRIME = 0x01000193;
/** Of the hashes: one for all writers of this process, so that hashes that are kept with a key are true for each. */
const SECRET = new Uint32Array(KEY_WORDS);
randomBytes(4 * KEY_WORDS).copy(Buffer.from(SECRET.buffer));

/**
 * The name of a key as bytes, and its hash; one name at a time. The hash of the block comes first and ends with a space, which no hash
 * holds: different keys have different names.
 *
 * Hashes are HalfSipHash-1-3 under a key of this process: callers cannot choose names that share them.
 */
export class NameWriter {
  readonly #maxBytes: number;
  /** Of the block that is written. */
  #blockHash: string | undefined;
  #blockDigest: number | undefined;
  readonly bytes: Buffer;
  /** The same memory; the last word of a name is filled up with zeros. */
  readonly words: Uint32Array;
  /** Bytes of the name. */
  length = 0;
  /** Those of its block with the space. */
  blockLength = 0;
  /** Whether the question is in UTF-16, which keeps every text apart: in ASCII otherwise. */
  isWide = false;
  hash = 0;
  /** Another one of the same name. */
  tag = 0;

  /** @param maxBytes of a name, 1 KiB at least */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.bytes = Buffer.from(new ArrayBuffer((maxBytes + SPARE_BYTES + 7) & ~7));
    this.words = new Uint32Array(this.bytes.buffer, 0, this.bytes.length >> 2);
  }

  /** @returns false where it is too long */
  write(key: CacheKey): boolean {
    const { blockHash, question } = key;
    if (!this.writeBlock(blockHash)) return false;
    const { bytes, blockLength } = this;
    const units = question.length;
    this.length = blockLength + units;
    if (this.length > this.#maxBytes) return false;
    // Text that is not ASCII has more bytes than units, also where there is no room for all of them.
    this.isWide = bytes.write(question, blockLength, 'utf8') !== units;
    if (this.isWide) {
      this.length = blockLength + 2 * units;
      if (this.length > this.#maxBytes) return false;
      bytes.write(question, blockLength, 'utf16le');
    }
    for (let at = this.length; at % 4 !== 0; at++) bytes[at] = 0;
    key.hashes ??= this.#computeHashes(this.length);
    this.hash = key.hashes.hash >>> 0;
    this.tag = key.hashes.tag >>> 0;
    return true;
  }

  /** The part of a name that is the same for all names of a block. */
  writeBlock(blockHash: string): boolean {
    // Most names are of the block of the one before.
    if (blockHash === this.#blockHash) return true;
    if (blockHash.length > MAX_HASH_UNITS) return false;
    this.#blockHash = blockHash;
    const written = this.bytes.write(blockHash, 0, 'utf8');
    this.bytes[written] = SPACE;
    this.blockLength = written + 1;
    this.#blockDigest = undefined;
    return true;
  }

  /** Of the block's part alone: where it is the same, the blocks may still differ. */
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
    // The words of the name, its length, and three rounds for each of two results.
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
