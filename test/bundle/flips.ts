/** Changes single bytes of a bundle, and classifies the result of its verification. */

import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { type Bundle, BundleError, decodeBundle } from '../../src/bundle/format.ts';
import { verifyBundle } from '../../src/bundle/verify-bundle.ts';
import { hashOf } from './bundles.ts';

/**
 * Result of a changed byte. `told`: accepted, with another value of a member that is printed as unverifiable. `question`: accepted as the
 * answer to another request, which it is as well. `meaningless`: accepted as the same statement. `forged`: accepted with another answer.
 */
export type Outcome = 'refused' | 'told' | 'question' | 'meaningless' | 'forged';

const DIGEST_LENGTH = `,"digest":"0x${'0'.repeat(64)}"}\n`.length;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Changes one byte of the bundle; undefined where the result is not UTF-8. */
function flip(text: string, at: number, mask: number): string | undefined {
  const bytes = encoder.encode(text);
  bytes[at] = (bytes[at] as number) ^ mask;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Changes one byte like `flip`, and recomputes the digest. */
function forge(text: string, at: number, mask: number): string | undefined {
  const content = flip(`${text.slice(0, -DIGEST_LENGTH)}}`, at, mask);
  return content === undefined ? undefined : sign(content);
}

/** Makes a bundle of an object's text, with its digest. */
function sign(content: string): string {
  return `${content.slice(0, -1)},"digest":"${bytesToHex(keccak256(encoder.encode(content)))}"}\n`;
}

/** Changes members of a bundle, and recomputes the digest. @param change maps the parsed members to the changed ones */
export function forgeMembers(text: string, change: (members: object) => object): string {
  return sign(JSON.stringify(change(JSON.parse(`${text.slice(0, -DIGEST_LENGTH)}}`) as object)));
}

/** Counts the bytes of a bundle without its digest. */
export function countBytes(text: string): number {
  return encoder.encode(text).length - DIGEST_LENGTH + 1;
}

/** Whether verification refuses a changed byte, anywhere in the file. */
export async function isDamageRefused(text: string, at: number, mask: number): Promise<boolean> {
  return (await verifyChanged(flip(text, at, mask), hashOf(text))) === undefined;
}

/** Changes a byte like a forger, with the digest recomputed, and classifies the result. */
export async function judgeForgery(text: string, at: number, mask: number): Promise<Outcome> {
  const found = await verifyChanged(forge(text, at, mask), hashOf(text));
  return found === undefined ? 'refused' : compareBundles(decodeBundle(text), found);
}

/** Verifies a changed text; undefined where it is refused. @throws every error that is not a refusal */
export async function verifyChanged(text: string | undefined, hash: string): Promise<Bundle | undefined> {
  if (text === undefined) return undefined;
  try {
    return await verifyBundle(text, { hash });
  } catch (error) {
    if (error instanceof BundleError) return undefined;
    throw error;
  }
}

function compareBundles(before: Bundle, after: Bundle): Outcome {
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  if (before.method !== after.method || !isSame(before.params, after.params)) return 'question';
  const told = before.told.members;
  const own = hide(before.answer, told);
  if (!isSame(before.told, after.told)) return isSame(own, hide(after.answer, told)) ? 'told' : 'forged';
  if (isSame(before.answer, after.answer)) return 'meaningless';
  return isSame(own, hide(after.answer, told)) ? 'told' : 'forged';
}

/** Returns an answer without the values of the unverifiable members. */
function hide(answer: Bundle['answer'], told: readonly string[]): unknown {
  const walk = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, `${path}[].`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.entries(value).flatMap(([name, member]) =>
      told.includes(`${path}${name}`) ? [[name]] : [[name, walk(member, `${path}${name}`)]],
    );
  };
  return 'result' in answer ? walk(answer.result, '') : answer.error;
}
