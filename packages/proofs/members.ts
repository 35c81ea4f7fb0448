import type { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import type { Members } from './findings.ts';

/** Error: a member cannot be encoded because it is missing or malformed. */
export class UnreadableMember extends Error {
  constructor(member: string) {
    super(`${member} cannot be read`);
    this.name = 'UnreadableMember';
  }
}

/** Matches an address with digits of any letter case. */
export const ADDRESS: RegExp = /^0x[0-9a-fA-F]{40}$/;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a string unchanged. For any other value, returns an empty string, which is never valid hex. `String(value)` would be wrong: JSON objects
 * may contain a `toString` that is not a function, and `String([x])` equals `String(x)`.
 */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Writes bytes from hex text. @throws UnreadableMember if the value is not hex text */
export function writeBytes(writer: RlpWriter, value: unknown, member: string): void {
  if (typeof value !== 'string' || !writer.data(value)) throw new UnreadableMember(member);
}

/**
 * Writes an integer from hex text, or from a JSON number, which some clients return. Decimal text is rejected, since it could be misread as hex.
 * @throws UnreadableMember if the value is neither hex text nor a number
 */
export function writeInteger(writer: RlpWriter, value: unknown, member: string): void {
  if (!writer.quantity(asQuantity(value))) throw new UnreadableMember(member);
}

/** Returns a safe integer of at least 0 as hex text, and a text unchanged. Returns an empty string for any other value. */
export function asQuantity(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return `0x${value.toString(16)}`;
  return asText(value);
}

/** Reads an integer from hex text or a number. @throws UnreadableMember if the value is neither hex text nor a number, or if it exceeds 256 bits */
export function readInteger(value: unknown, member: string): bigint {
  const text = asQuantity(value);
  if (/^0x[0-9a-fA-F]{1,64}$/.test(text)) return BigInt(text);
  throw new UnreadableMember(member);
}

/** Whether a member equals a hex text. Digits may differ in case, as in checksummed addresses. */
export function isSameText(have: unknown, want: string): boolean {
  if (have === want) return true;
  return typeof have === 'string' && !have.startsWith('0X') && have.toLowerCase() === want.toLowerCase();
}

/**
 * Whether a member equals an integer. Leading zeros of the member are ignored. JSON numbers are accepted, since anvil returns block times as numbers.
 */
export function isSameInteger(have: unknown, want: bigint | number): boolean {
  if (typeof have === 'number') return Number.isSafeInteger(have) && BigInt(have) === BigInt(want);
  if (typeof have !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(have)) return false;
  return typeof want === 'number' && have.length < 14 ? Number(have) === want : BigInt(have) === BigInt(want);
}
