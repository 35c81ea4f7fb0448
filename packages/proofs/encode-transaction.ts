import type { RlpWriter } from '../ethereum/primitives/rlp-writer.ts';
import type { Members } from './findings.ts';
import {
  ADDRESS,
  asText,
  isMembers,
  readInteger,
  UnreadableMember,
  writeBytes,
  writeInteger,
} from './members.ts';
import { writePrepared } from './prepared-transactions.ts';
import {
  type FieldKind,
  TRANSACTION_FORMS,
  type TransactionField,
  type TransactionForm,
} from './transaction-forms.ts';

const FORMS = new Map<number, readonly TransactionForm[]>();
for (const form of TRANSACTION_FORMS) {
  const type = form.type ?? 0;
  FORMS.set(type, [...(FORMS.get(type) ?? []), form]);
}

/** Returns the form of a transaction object; undefined if its type is unknown. Objects without a type are legacy transactions. */
export function findTransactionForm(transaction: Members): TransactionForm | undefined {
  const type = readType(transaction);
  return type === undefined
    ? undefined
    : FORMS.get(type)?.find(({ mark }) => mark === undefined || transaction[mark] != null);
}

/** Returns the type of a transaction or receipt, 0 if absent; undefined if it is malformed. */
export function readType({ type }: Members): number | undefined {
  if (type == null) return 0;
  return typeof type === 'string' && /^0x[0-9a-fA-F]{1,2}$/.test(type) ? Number(type) : undefined;
}

/**
 * Encodes a transaction in the form that the transactions trie contains.
 * @throws UnreadableMember if a hashed member is missing or malformed
 */
export function encodeTransaction(
  transaction: Members,
  form: TransactionForm,
  writer: RlpWriter,
): Uint8Array {
  const mark = writer.mark;
  try {
    writeFields(transaction, form.fields, form.fields.length, writer);
    writer.list(mark);
    if (form.type !== undefined) writer.byte(form.type);
    return writer.take(mark);
  } catch (error) {
    writer.rewind(mark);
    throw error;
  }
}

/**
 * Encodes the signing payload. A protected legacy transaction (EIP-155) includes the chain id.
 * @param signed number of leading fields that are signed
 * @param protectedBy chain id of a protected legacy transaction
 * @throws UnreadableMember if a signed member is missing or malformed
 */
export function encodeSigned(
  transaction: Members,
  { type, fields }: TransactionForm,
  signed: number,
  protectedBy: bigint | undefined,
  writer: RlpWriter,
): Uint8Array {
  const mark = writer.mark;
  try {
    if (protectedBy !== undefined) {
      writer.quantity('0x0');
      writer.quantity('0x0');
      writer.quantity(`0x${protectedBy.toString(16)}`);
    }
    writeFields(transaction, fields, signed, writer);
    writer.list(mark);
    if (type !== undefined) writer.byte(type);
    return writer.take(mark);
  } catch (error) {
    writer.rewind(mark);
    throw error;
  }
}

function writeFields(
  transaction: Members,
  fields: readonly TransactionField[],
  count: number,
  writer: RlpWriter,
): void {
  for (let i = count - 1; i >= 0; i--) writeField(transaction, fields[i] as TransactionField, writer);
}

function writeField(transaction: Members, { members, as }: TransactionField, writer: RlpWriter): void {
  let member = members[0] as string;
  if (transaction[member] == null && members.length > 1) member = members[1] as string;
  WRITERS[as](writer, transaction[member], member);
}

type WriteField = (writer: RlpWriter, value: unknown, member: string) => void;

const WRITERS: Readonly<Record<FieldKind, WriteField>> = {
  bytes: writeBytes,
  integer: writeInteger,
  recipient: writeRecipient,
  optionalInteger: (writer, value, member) => writeInteger(writer, value ?? '0x0', member),
  flag: writeFlag,
  hashes: writeHashes,
  // Null is encoded as an empty list. If the access list has entries, the transaction hash differs from the hash of this encoding.
  accessList: (writer, value, member) => writeList(writer, value === null ? [] : value, member, writeAccess),
  authorizationList: (writer, value, member) => writeList(writer, value, member, writeAuthorization),
};

/** Writes a recipient. Only null, or an absent member, means that there is no recipient. */
function writeRecipient(writer: RlpWriter, value: unknown, member: string): void {
  if (value != null && !ADDRESS.test(asText(value))) throw new UnreadableMember(member);
  writeBytes(writer, value ?? '0x', member);
}

function writeFlag(writer: RlpWriter, value: unknown, member: string): void {
  if (value != null && typeof value !== 'boolean') throw new UnreadableMember(member);
  writer.quantity(value === true ? '0x1' : '0x0');
}

function writeHashes(writer: RlpWriter, value: unknown, member: string): void {
  if (!Array.isArray(value)) throw new UnreadableMember(member);
  if (writePrepared(writer, value)) return;
  const mark = writer.mark;
  for (let i = value.length - 1; i >= 0; i--) writeBytes(writer, value[i], member);
  writer.list(mark);
}

function writeList(
  writer: RlpWriter,
  value: unknown,
  member: string,
  writeMembers: (writer: RlpWriter, item: Members) => void,
): void {
  if (!Array.isArray(value)) throw new UnreadableMember(member);
  if (writePrepared(writer, value)) return;
  const mark = writer.mark;
  for (let i = value.length - 1; i >= 0; i--) writeItem(writer, value[i], member, writeMembers);
  writer.list(mark);
}

function writeItem(
  writer: RlpWriter,
  item: unknown,
  member: string,
  writeMembers: (writer: RlpWriter, item: Members) => void,
): void {
  if (!isMembers(item)) throw new UnreadableMember(member);
  const mark = writer.mark;
  writeMembers(writer, item);
  writer.list(mark);
}

function writeAccess(writer: RlpWriter, { address, storageKeys }: Members): void {
  writeHashes(writer, storageKeys, 'storageKeys');
  writeBytes(writer, address, 'address');
}

/**
 * Writes an authorization. Substrate nests the signature in an object, and returns the parity as a boolean. If an authorization contains a value in
 * two members, the two values must be equal.
 */
function writeAuthorization(writer: RlpWriter, item: Members): void {
  const inner = item['signature'];
  const places = isMembers(inner) ? [inner, item] : [item];
  const find = (...names: readonly string[]): readonly unknown[] =>
    places.flatMap((place) => names.map((name) => place[name]));
  const parities = find('yParity', 'v', 'odd_y_parity').map((value) =>
    typeof value === 'boolean' ? `0x${Number(value)}` : value,
  );
  writeInteger(writer, pickSame(find('s'), 's'), 's');
  writeInteger(writer, pickSame(find('r'), 'r'), 'r');
  writeInteger(writer, pickSame(parities, 'yParity'), 'yParity');
  writeInteger(writer, item['nonce'], 'nonce');
  writeBytes(writer, item['address'], 'address');
  writeInteger(writer, pickSame([item['chainId'], item['chain_id']], 'chainId'), 'chainId');
}

/** Returns the first present value. @throws UnreadableMember if two values differ */
function pickSame(values: readonly unknown[], member: string): unknown {
  const [first, ...others] = values.filter((value) => value != null);
  for (const other of others)
    if (readInteger(other, member) !== readInteger(first, member)) throw new UnreadableMember(member);
  return first;
}

/** Writes one list item. @throws UnreadableMember */
export type WriteItem = (writer: RlpWriter, item: unknown) => void;

/** Item encoders of transaction lists, and of lists inside them, by member name. */
export const LIST_ITEMS: ReadonlyMap<string, WriteItem> = new Map<string, WriteItem>([
  ['accessList', (writer, item) => writeItem(writer, item, 'accessList', writeAccess)],
  ['authorizationList', (writer, item) => writeItem(writer, item, 'authorizationList', writeAuthorization)],
  ['blobVersionedHashes', (writer, item) => writeBytes(writer, item, 'blobVersionedHashes')],
  ['storageKeys', (writer, item) => writeBytes(writer, item, 'storageKeys')],
]);
