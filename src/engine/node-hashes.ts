import { createHash, getHashes, hash } from 'node:crypto';
import { type HashFunctions, hashSteps, PORTABLE_HASHES } from '../../packages/evm/cryptography/hashes.ts';

/** False on OpenSSL builds that allow only approved hashes, such as FIPS builds. */
const hasRipemd160: boolean = getHashes().includes('ripemd160');

function toBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

/** Hash functions of OpenSSL, which are several times as fast as hash functions in JavaScript. */
export const NODE_HASHES: HashFunctions = {
  sha256: (data) => toBytes(hash('sha256', data, 'buffer')),
  sha256Steps: (data) => hashSteps(data, createHash('sha256')),
  ...(hasRipemd160
    ? {
        ripemd160: (data) => toBytes(hash('ripemd160', data, 'buffer')),
        ripemd160Steps: (data) => hashSteps(data, createHash('ripemd160')),
      }
    : { ripemd160: PORTABLE_HASHES.ripemd160, ripemd160Steps: PORTABLE_HASHES.ripemd160Steps }),
};
