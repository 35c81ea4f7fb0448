import type { RlpWriter } from '../primitives/rlp-writer.ts';
import type { Members } from './findings.ts';

/** A member of an answer that has no form that could be encoded. */
export class UnreadableMember extends Error {
  constructor(member: string) {
    super(`${member} cannot be read`);
    this.name = 'UnreadableMember';
  }
}

/** Of any case. */
export const ADDRESS: RegExp = /^0x[0-9a-fA-F]{40}$/;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member as text; empty, which is no hex, where it is none: objects of JSON can have a `toString` that is no function, and lists read like their only item. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Writes bytes from hex text. @throws UnreadableMember */
export function writeBytes(writer: RlpWriter, value: unknown, member: string): void {
  if (typeof value !== 'string' || !writer.data(value)) throw new UnreadableMember(member);
}

/**
 * Writes an integer from hex text, or as some clients give it from a number. Decimal text is none: what reads it as hex finds the same digits in it.
 * @throws UnreadableMember
 */
export function writeInteger(writer: RlpWriter, value: unknown, member: string): void {
  if (!writer.quantity(asQuantity(value))) throw new UnreadableMember(member);
}

/** A number as hex text, hex text as it is; empty where it is neither. */
export function asQuantity(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return `0x${value.toString(16)}`;
  return asText(value);
}

/** The integer in hex text or a number. @throws UnreadableMember */
export function readInteger(value: unknown, member: string): bigint {
  const text = asQuantity(value);
  if (/^0x[0-9a-fA-F]{1,64}$/.test(text)) return BigInt(text);
  throw new UnreadableMember(member);
}

/** Whether two members are the same hex text; digits may differ in case, as in addresses with checksums. */
export function isSameText(have: unknown, want: string): boolean {
  if (have === want) return true;
  return typeof have === 'string' && !have.startsWith('0X') && have.toLowerCase() === want.toLowerCase();
}

/** Whether a member is this integer, however many zeros it begins with; anvil gives the time of blocks as numbers. */
export function isSameInteger(have: unknown, want: bigint | number): boolean {
  if (typeof have === 'number') return Number.isSafeInteger(have) && BigInt(have) === BigInt(want);
  if (typeof have !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(have)) return false;
  return typeof want === 'number' && have.length < 14 ? Number(have) === want : BigInt(have) === BigInt(want);
}
