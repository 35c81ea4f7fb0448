import { bytesToHex } from '../ethereum/primitives/hex.ts';
import { keccak256 } from '../ethereum/primitives/keccak.ts';
import { encodeQuantity } from '../ethereum/primitives/quantity.ts';
import type { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import type { Members } from './findings.ts';
import {
  ETHEREUM_FORM,
  HEADER_FORMS,
  type HeaderField,
  type HeaderForm,
  isTimeIn,
  MAX_INTEGER_BYTES,
} from './header-forms.ts';
import { asText, isMembers, readInteger, UnreadableMember, writeBytes, writeInteger } from './members.ts';

const MS = 1_000n;
/**
 * `STEP` matches the RLP of an integer of up to 8 bytes, and captures the length digit. `SIGNATURE` matches a byte string of 65 bytes, RLP-encoded.
 */
const STEP = /^0x(?:[0-7][0-9a-f]|8([0-8])(?:[0-9a-f]{2})*)$/i;
const SIGNATURE = /^0xb841[0-9a-f]{130}$/i;

/**
 * Finds the form in which a block object hashes to `hash`; undefined if there is no such form. A matching hash in any form identifies the header,
 * because no header item can be read as a member of another kind.
 */
export function findHeaderForm(block: Members, hash: string, writer: RlpWriter): HeaderForm | undefined {
  return HEADER_FORMS.find((form) => hashHeader(block, form, writer) === hash.toLowerCase());
}

/** Returns the hash of a header in Ethereum's own form; undefined if a member of that form is missing. */
export function hashEthereumHeader(block: Members, writer: RlpWriter): string | undefined {
  return hashHeader(block, ETHEREUM_FORM, writer);
}

/**
 * Returns the RLP of a header in Ethereum's own form.
 * @param hash lower-case hash
 * @returns undefined if the header does not hash to `hash`
 */
export function encodeHeaderOf(block: Members, hash: string, writer: RlpWriter): Uint8Array | undefined {
  const form = HEADER_FORMS[0] as HeaderForm;
  if (hashHeader(block, form, writer) !== hash) return undefined;
  const { mark } = writer;
  writeHeader(block, form, writer);
  return writer.take(mark);
}

function hashHeader(block: Members, form: HeaderForm, writer: RlpWriter): string | undefined {
  const { mark: has, without = [] } = form;
  if (has !== undefined && block[has] == null) return undefined;
  if (without.some((name) => block[name] != null)) return undefined;
  const mark = writer.mark;
  try {
    writeHeader(block, form, writer);
    return bytesToHex(keccak256(writer.view(mark)));
  } catch (error) {
    if (error instanceof UnreadableMember) return undefined;
    throw error;
  } finally {
    writer.rewind(mark);
  }
}

/** Writes the RLP list of the header. @throws UnreadableMember if a member is missing or malformed */
export function writeHeader(block: Members, form: HeaderForm, writer: RlpWriter): void {
  const { outer, context } = form;
  const mark = writer.mark;
  if (context !== undefined && isMembers(block[context.member])) {
    writeFields(block[context.member] as Members, context.fields, writer);
  }
  writeFields(block, form.fields, writer);
  if (outer === undefined) return;
  for (const field of outer.toReversed()) writeField(block, field, writer);
  writer.list(mark);
}

/** Writes the present fields as a list. @throws UnreadableMember if a field follows an absent field */
function writeFields(block: Members, fields: readonly HeaderField[], writer: RlpWriter): void {
  const mark = writer.mark;
  let end = 0;
  while (end < fields.length && isThere(block, fields[end] as HeaderField)) end++;
  const late = fields.slice(end).find(({ member }) => block[member] != null);
  if (late !== undefined) throw new UnreadableMember(late.member);
  for (let i = end - 1; i >= 0; i--) writeField(block, fields[i] as HeaderField, writer);
  writer.list(mark);
}

function isThere(block: Members, { member, isOptional }: HeaderField): boolean {
  return isOptional !== true || block[member] != null;
}

function writeField(block: Members, field: HeaderField, writer: RlpWriter): void {
  const { member, as, length, unit, otherwise } = field;
  const value = block[member] ?? otherwise;
  if (as === 'seal') writeSeal(writer, value, member);
  else if (as === 'bytes') {
    if (length !== undefined && asText(value).length !== 2 + 2 * length) throw new UnreadableMember(member);
    writeBytes(writer, value, member);
  } else {
    const mark = writer.mark;
    writeInteger(writer, unit === undefined ? value : toUnit(unit, value, member), member);
    if (writer.mark - mark > 1 + MAX_INTEGER_BYTES) throw new UnreadableMember(member);
  }
}

function toUnit(unit: 'seconds' | 'milliseconds', value: unknown, member: string): string {
  const seconds = readInteger(value, member);
  const time = unit === 'seconds' ? seconds : seconds * MS;
  if (!isTimeIn(unit, time)) throw new UnreadableMember(member);
  return encodeQuantity(time);
}

function writeSeal(writer: RlpWriter, items: unknown, member: string): void {
  if (!Array.isArray(items) || items.length !== 2) throw new UnreadableMember(member);
  const [step, signature] = items as readonly unknown[];
  const match = STEP.exec(asText(step));
  const isStep = match !== null && asText(step).length === 4 + 2 * Number(match[1] ?? 0);
  const isSeal = isStep && SIGNATURE.test(asText(signature));
  if (!isSeal || !writer.rawData(asText(signature)) || !writer.rawData(asText(step)))
    throw new UnreadableMember(member);
}
