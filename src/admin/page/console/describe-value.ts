import { countOf } from '../../../util/count-of.ts';
import { formatDate, NOTHING, shortenMiddle } from '../format.ts';
import { listAlternatives, type OpenRpcSchema } from './open-rpc.ts';
import { decodeString } from './revert.ts';
import { isQuantity } from './values.ts';

/** Description of a value: its text and an explanation. */
export type Description = { readonly text: string; readonly note?: string; readonly full?: string };

/** A member of an object or an argument; nested names are joined: `ethContext.timestamp`. `full` is the whole of a shortened text. */
export type FieldRow = Description & { readonly name: string; readonly type?: string };

/** Maximum length of a fully displayed member, characters. */
const LONG = 74;

/** Describes every member of an object by its schema. */
export function describeFields(value: object, schema: OpenRpcSchema, prefix = ''): readonly FieldRow[] {
  const properties = findObject(schema)?.properties ?? {};
  return Object.entries(value).flatMap(([key, member]) => {
    const name = prefix + key;
    const inner = properties[key] ?? {};
    if (typeof member === 'object' && member !== null && !Array.isArray(member)) {
      return describeFields(member, inner, `${name}.`);
    }
    return [{ name, ...describeMember(key, member, inner) }];
  });
}

function findObject(schema: OpenRpcSchema): OpenRpcSchema | undefined {
  return listAlternatives(schema).find(({ type }) => type === 'object');
}

function describeMember(name: string, value: unknown, schema: OpenRpcSchema): Description {
  if (value === null || value === undefined) return { text: NOTHING };
  if (Array.isArray(value)) return describeList(value);
  if (typeof value === 'number') {
    return /timestamp/i.test(name)
      ? { text: String(value), note: formatDate(value * 1_000) }
      : { text: value.toLocaleString('en') };
  }
  if (typeof value !== 'string') return { text: String(value) };
  if (listAlternatives(schema).some(isQuantity) || isNamedAsQuantity(name, value))
    return describeQuantity(value, name);
  return describeHex(value);
}

/** Shortens long hex data; the note has its size. */
export function describeHex(value: string): Description {
  if (value.length <= LONG) return { text: value };
  const note = countOf((value.length - 2) / 2, 'byte');
  return { text: shortenMiddle(value, 34, 16), note, full: value };
}

/** Whether a member without a schema is a quantity by its name in the Execution API: members of logs, transactions and blocks. */
function isNamedAsQuantity(name: string, value: string): boolean {
  return QUANTITY_NAME.test(name) && /^0x[0-9a-f]{1,32}$/i.test(value);
}

const QUANTITY_NAME =
  /^(number|nonce|value|gas|size|type|status|timestamp|difficulty|index|chainId|yParity|v)$|(Number|Timestamp|Index|Gas|GasUsed|gasUsed|gasLimit|Price|Fee|PerGas|Balance|balance)$/;

function describeList(list: readonly unknown[]): Description {
  if (list.length === 0) return { text: 'none' };
  if (list.length === 1 && typeof list[0] === 'string') return describeHex(list[0]);
  const full = list.every((item) => typeof item === 'string')
    ? list.join('\n')
    : JSON.stringify(list, undefined, 2);
  return { text: countOf(list.length, 'entry', 'entries'), full };
}

/** Describes a quantity in decimal, with the unit or date that its name implies. */
export function describeQuantity(hex: string, name = ''): Description {
  if (!/^0x[0-9a-f]+$/i.test(hex)) return { text: hex };
  const value = BigInt(hex);
  // The signature members `r` and `s` are displayed in hex, because they have no meaning as decimals.
  if (/^[rs]$/.test(name)) return { text: hex };
  const text = value.toLocaleString('en');
  if (/timestamp/i.test(name)) return { text: hex, note: formatDate(Number(value) * 1_000) };
  if (name === 'value' || name === 'balance') return { text, note: `${formatUnits(value, 18)} ether` };
  if (/fee|price/i.test(name)) return { text, note: `${formatUnits(value, 9)} gwei` };
  return { text, note: hex };
}

/** Formats a decimal fraction without trailing zeros. */
export function formatUnits(value: bigint, decimals: number): string {
  const scale = 10n ** BigInt(decimals);
  const fraction = (value % scale)
    .toString()
    .padStart(decimals, '0')
    .replace(/(?<!0)0+$/, '');
  return `${(value / scale).toLocaleString('en')}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * Lists possible interpretations of the data that a call has returned: number, address, text, words. ABI-encoded data does not contain the types of
 * its values.
 */
export function describeData(data: string): readonly FieldRow[] {
  const digits = data.slice(2);
  const bytes = digits.length / 2;
  const rows: FieldRow[] = [{ name: 'length', text: countOf(bytes, 'byte') }];
  if (bytes === 32) {
    rows.push({ name: 'as a number', text: BigInt(data).toLocaleString('en') });
    if (/^0{24}[0-9a-f]{8}/.test(digits) && !/^0{32}/.test(digits)) {
      rows.push({ name: 'as an address', text: `0x${digits.slice(24)}` });
    }
  }
  const text = bytes >= 96 ? decodeString(digits) : undefined;
  if (text !== undefined && text !== '' && !/(?![\n\r\t])[\p{Cc}\ufffd]/u.test(text)) {
    rows.push({ name: 'as text', text });
  }
  const words = digits.match(/.{64}/g) ?? [];
  if (words.length > 1 && words.length <= 16 && bytes % 32 === 0) {
    for (const [i, word] of words.entries()) rows.push({ name: `word ${i}`, text: `0x${word}` });
  }
  return rows;
}
