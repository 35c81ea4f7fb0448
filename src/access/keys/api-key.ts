import { createHash, randomBytes } from 'node:crypto';

/** 128 bits. */
const KEY_BYTES = 16;
const KEY_PATTERN = /^[0-9a-f]{32}$/;

/** A new random key, or secret: 32 lower-case hex characters. */
export function generateApiKey(): string {
  return randomBytes(KEY_BYTES).toString('hex');
}

/** Whether the text has the form of a generated key, so that nothing else costs a hash and a look-up. */
export function isApiKey(text: string): boolean {
  return KEY_PATTERN.test(text);
}

/**
 * What is stored of a key or a secret. A plain SHA-256 is enough: 128 random bits cannot be searched. Keys are found by it,
 * so that nothing is compared with the key itself; the time of a look-up reveals at most the hash.
 */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}
