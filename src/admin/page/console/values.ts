/** Conversions between entered text and JSON values. */
import { listAlternatives, type OpenRpcSchema } from './open-rpc.ts';

/** Invalid text of a field; the message names the expected form. */
export class ValueProblem extends Error {}

/**
 * Parses a number in decimal, `0x` hex, or with grouped digits, to a quantity.
 * @throws ValueProblem
 */
export function parseEnteredQuantity(text: string): string {
  const plain = text.replace(/[_,\s]/g, '');
  if (!/^(\d+|0x[0-9a-f]+)$/i.test(plain)) throw new ValueProblem('expected a number, decimal or 0x hex');
  return `0x${BigInt(plain).toString(16)}`;
}

/** @throws ValueProblem */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ValueProblem('expected JSON');
  }
}

/**
 * Parses the text of a field by its schema.
 * @throws ValueProblem
 */
export function parseValue(text: string, schema: OpenRpcSchema): unknown {
  const alternatives = listAlternatives(schema);
  if (/^\s*[[{]/.test(text) || alternatives.every(({ type }) => type === 'object' || type === 'array')) {
    return parseJson(text);
  }
  const trimmed = text.trim();
  const exact = alternatives.find((one) => matches(trimmed, one));
  if (exact !== undefined) return exact.type === 'string' ? trimmed : parseJson(trimmed);
  if (alternatives.some(isQuantity) && /^(\d[\d_,\s]*|0x[0-9a-f]{1,64})$/i.test(trimmed)) {
    const quantity = parseEnteredQuantity(trimmed);
    if (alternatives.some((one) => isQuantity(one) && matches(quantity, one))) return quantity;
  }
  throw new ValueProblem(`expected ${describeSchema(schema)}`);
}

function matches(text: string, { type, enum: choices, pattern }: OpenRpcSchema): boolean {
  if (type === 'integer' || type === 'number') return /^-?\d+$/.test(text);
  if (type !== 'string') return false;
  if (choices !== undefined) return choices.includes(text);
  return pattern === undefined || new RegExp(pattern, 'u').test(text);
}

/** Whether the title of a schema stands for a number in hex notation. */
export function isQuantity({ title }: OpenRpcSchema): boolean {
  return title === 'quantity' || title === 'block number';
}

/** Returns the enum values of a schema. */
export function listChoices(schema: OpenRpcSchema): readonly string[] {
  return listAlternatives(schema).flatMap((one) => one.enum ?? []);
}

/** Describes a schema in a few readable words. */
export function describeSchema(schema: OpenRpcSchema): string {
  const names = listAlternatives(schema).map(
    ({ title, type = 'JSON' }) => WORDS.get(title ?? type) ?? title ?? type,
  );
  return [...new Set(names)].join(', or ');
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['quantity', 'a number, decimal or 0x hex'],
  ['block number', 'a number'],
  ['block tag', 'a tag'],
  ['block hash', 'a block hash'],
  ['EIP-1898 object', 'an EIP-1898 object'],
  ['address', 'an address: 0x and 40 hex digits'],
  ['32 bytes', '32 bytes: 0x and 64 hex digits'],
  ['data', 'data: 0x and pairs of hex digits'],
  ['array', 'a JSON array'],
  ['object', 'a JSON object'],
]);

/** Formats a value as the text of a field. */
export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
