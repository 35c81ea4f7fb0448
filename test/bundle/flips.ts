/** Changes single bytes of a bundle, and judges what its verification makes of it. */
import { type Bundle, BundleError, decodeBundle } from '../../src/bundle/format.ts';
import { verifyBundle } from '../../src/bundle/verify-bundle.ts';
import { bytesToHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { hashOf } from './bundles.ts';

/**
 * What came of a changed byte. `told`: accepted, with another value among those that are printed as told. `question`: accepted as the answer to another question,
 * which it is as well. `meaningless`: accepted as the same statement. `forged`: accepted with another answer.
 */
export type Outcome = 'refused' | 'told' | 'question' | 'meaningless' | 'forged';

const DIGEST_LENGTH = `,"digest":"0x${'0'.repeat(64)}"}\n`.length;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bundle with one byte changed; undefined where that is no text. */
function flip(text: string, at: number, mask: number): string | undefined {
  const bytes = encoder.encode(text);
  bytes[at] = (bytes[at] as number) ^ mask;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The same with the digest made anew. */
function forge(text: string, at: number, mask: number): string | undefined {
  const content = flip(`${text.slice(0, -DIGEST_LENGTH)}}`, at, mask);
  return content === undefined ? undefined : sign(content);
}

/** A bundle of an object's text, with its digest. */
function sign(content: string): string {
  return `${content.slice(0, -1)},"digest":"${bytesToHex(keccak256(encoder.encode(content)))}"}\n`;
}

/** Changes a value of a bundle, and makes the digest anew. @param change what becomes of the members */
export function forgeMembers(text: string, change: (members: object) => object): string {
  return sign(JSON.stringify(change(JSON.parse(`${text.slice(0, -DIGEST_LENGTH)}}`) as object)));
}

/** Bytes of a bundle without its digest. */
export function countBytes(text: string): number {
  return encoder.encode(text).length - DIGEST_LENGTH + 1;
}

/** Whether a changed byte, anywhere in the file, is noticed. */
export async function isDamageRefused(text: string, at: number, mask: number): Promise<boolean> {
  return (await verifyChanged(flip(text, at, mask), hashOf(text))) === undefined;
}

/** Changes a byte as a forger would, and makes the digest anew. */
export async function judgeForgery(text: string, at: number, mask: number): Promise<Outcome> {
  const found = await verifyChanged(forge(text, at, mask), hashOf(text));
  return found === undefined ? 'refused' : compareBundles(decodeBundle(text), found);
}

/** Undefined where it is refused. @throws what is no refusal */
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

/** An answer without the members that are told. */
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
