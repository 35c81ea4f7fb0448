import { bytesToHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { Members } from './findings.ts';
import { ETHEREUM_FORM, HEADER_FORMS, type HeaderField, type HeaderForm } from './header-forms.ts';
import { isMembers, UnreadableMember, writeBytes, writeInteger } from './members.ts';
import type { RlpWriter } from './rlp-writer.ts';

const MS = 1_000n;

/**
 * The form in which the members of a block object hash to this hash; undefined where there is none. What has the right hash in any form
 * is the header.
 */
export function findHeaderForm(block: Members, hash: string, writer: RlpWriter): HeaderForm | undefined {
  return HEADER_FORMS.find((form) => hashHeader(block, form, writer) === hash.toLowerCase());
}

/** Its hash in Ethereum's own form, the first one; undefined where it lacks members of that. */
export function hashEthereumHeader(block: Members, writer: RlpWriter): string | undefined {
  return hashHeader(block, ETHEREUM_FORM, writer);
}

/**
 * RLP of the header in Ethereum's own form.
 * @returns undefined where that does not hash to `hash`, lower-case
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

/** Writes the header's list. @throws UnreadableMember */
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

/** Writes the fields that there are as a list. @throws UnreadableMember where one is there that would have to follow one that is not */
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
  const { member, as, isMilliseconds, otherwise } = field;
  const value = block[member] ?? otherwise;
  if (as === 'bytes') writeBytes(writer, value, member);
  else if (as === 'encoded') writeEncoded(writer, value, member);
  else if (isMilliseconds === true && typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value)) {
    writeInteger(writer, `0x${(BigInt(value) * MS).toString(16)}`, member);
  } else writeInteger(writer, value, member);
}

function writeEncoded(writer: RlpWriter, items: unknown, member: string): void {
  if (!Array.isArray(items)) throw new UnreadableMember(member);
  for (const item of (items as readonly unknown[]).toReversed()) {
    if (typeof item !== 'string' || !writer.rawData(item)) throw new UnreadableMember(member);
  }
}
