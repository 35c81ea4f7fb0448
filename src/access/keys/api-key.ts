import { createHash, randomBytes } from 'node:crypto';

/** Length of a key or secret, bytes (128 bits). */
const KEY_BYTES = 16;
const KEY_PATTERN = /^[0-9a-f]{32}$/;

/** Generates a random key or secret: 32 lower-case hex characters. */
export function generateApiKey(): string {
  return randomBytes(KEY_BYTES).toString('hex');
}

/** Whether a text has the form of a generated key. A text without this form is rejected without a look-up. */
export function isApiKey(text: string): boolean {
  return KEY_PATTERN.test(text);
}

/**
 * Returns the stored form of a key or secret. Plain SHA-256 suffices, because 128 random bits cannot be found by brute force. Keys are looked up by
 * hash, so no comparison involves the key itself. The timing of a look-up reveals at most the hash.
 */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}
