import { createHash, randomBytes } from 'node:crypto';

/** Who a request is made by. Safe to log: it holds nothing that opens a door. */
export type Principal = { readonly id: string; readonly name: string };

/** Decides whether a key opens the service. `undefined` means it does not. */
export interface KeyVerifier {
  verify(key: string): Promise<Principal | undefined> | Principal | undefined;
}

/** 128 bits. */
const KEY_BYTES = 16;
const KEY_PATTERN = /^[0-9a-f]{32}$/;

/** A new random key: 32 lower-case hex characters. */
export function generateApiKey(): string {
  return randomBytes(KEY_BYTES).toString('hex');
}

/** Whether the text has the form of a generated key, so that nothing else costs a hash and a look-up. */
export function isApiKey(text: string): boolean {
  return KEY_PATTERN.test(text);
}

/** What is stored of a key. A plain SHA-256 is enough: 128 random bits cannot be searched. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key, 'latin1').digest('hex');
}
