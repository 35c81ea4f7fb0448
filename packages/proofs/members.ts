import type { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import type { Members } from './findings.ts';

/** Missing or malformed member that cannot be encoded. */
export class UnreadableMember extends Error {
  constructor(member: string) {
    super(`${member} cannot be read`);
    this.name = 'UnreadableMember';
  }
}

/** Address in any letter case. */
export const ADDRESS: RegExp = /^0x[0-9a-fA-F]{40}$/;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a string member, else an empty string, which is not hex. JSON objects may contain a `toString` that is not a function, and String([x]) equals
 * String(x).
 */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Writes bytes from hex text. @throws UnreadableMember if the value is not hex text */
export function writeBytes(writer: RlpWriter, value: unknown, member: string): void {
  if (typeof value !== 'string' || !writer.data(value)) throw new UnreadableMember(member);
}

/**
 * Writes an integer from hex text, or from a number as some clients return it. Decimal text is rejected: a reader of hex would see the same digits.
 * @throws UnreadableMember if the value is neither
 */
export function writeInteger(writer: RlpWriter, value: unknown, member: string): void {
  if (!writer.quantity(asQuantity(value))) throw new UnreadableMember(member);
}

/** Returns a number as hex text and hex text unchanged; empty for anything else. */
export function asQuantity(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return `0x${value.toString(16)}`;
  return asText(value);
}

/** Reads an integer from hex text or a number. @throws UnreadableMember if the value is neither or exceeds 256 bits */
export function readInteger(value: unknown, member: string): bigint {
  const text = asQuantity(value);
  if (/^0x[0-9a-fA-F]{1,64}$/.test(text)) return BigInt(text);
  throw new UnreadableMember(member);
}

/** Whether a member equals a hex text; digits may differ in case, as in checksummed addresses. */
export function isSameText(have: unknown, want: string): boolean {
  if (have === want) return true;
  return typeof have === 'string' && !have.startsWith('0X') && have.toLowerCase() === want.toLowerCase();
}

/** Whether a member equals an integer; leading zeros are ignored. anvil returns block times as JSON numbers. */
export function isSameInteger(have: unknown, want: bigint | number): boolean {
  if (typeof have === 'number') return Number.isSafeInteger(have) && BigInt(have) === BigInt(want);
  if (typeof have !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(have)) return false;
  return typeof want === 'number' && have.length < 14 ? Number(have) === want : BigInt(have) === BigInt(want);
}
