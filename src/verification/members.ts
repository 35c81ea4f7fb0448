import type { Members } from './findings.ts';
import type { RlpWriter } from './rlp-writer.ts';

/** A member of an answer that has no form that could be encoded. */
export class UnreadableMember extends Error {
  constructor(member: string) {
    super(`${member} cannot be read`);
    this.name = 'UnreadableMember';
  }
}

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

/** Writes an integer from hex text, or as some clients give it from a number or decimal text. @throws UnreadableMember */
export function writeInteger(writer: RlpWriter, value: unknown, member: string): void {
  if (typeof value === 'string' && value.startsWith('0x')) {
    if (writer.quantity(value)) return;
  } else if (isDecimal(value)) {
    writer.quantity(`0x${BigInt(value).toString(16)}`);
    return;
  }
  throw new UnreadableMember(member);
}

function isDecimal(value: unknown): value is number | string {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
  return typeof value === 'string' && /^\d{1,78}$/.test(value);
}

/** The integer in hex text. @throws UnreadableMember */
export function readInteger(value: unknown, member: string): bigint {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
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
