/** Blocks with one thing changed: each field of the header, and each entry of the block access list. */

import { OPTIONAL_FIELDS } from '../../../packages/ethereum/codecs/header.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import {
  decodeRlp,
  encodeRlp,
  type RlpInput,
  type RlpItem,
} from '../../../packages/ethereum/primitives/rlp.ts';

export type Alteration = { readonly what: string; readonly block: Uint8Array };

const HEADER_FIELDS = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
  ...OPTIONAL_FIELDS,
] as const;
const ACCESS_LIST_HASH: number = HEADER_FIELDS.indexOf('blockAccessListHash');

/**
 * Values beyond the limits for fields that block authors choose within limits, where another value may be valid.
 * The slot number is compared with nothing (as in geth): it is omitted, or takes nine bytes.
 */
const BEYOND_LIMITS: Readonly<Record<string, Uint8Array>> = {
  gasLimit: Uint8Array.of(0x7f, 0xff, 0xff, 0xff),
  extraData: new Uint8Array(33),
  miner: new Uint8Array(19),
  mixHash: new Uint8Array(31),
  slotNumber: new Uint8Array(9).fill(1),
};

function flipped(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return Uint8Array.of(1);
  const changed = Uint8Array.from(bytes);
  // Flips the lowest bit of the last byte; an integer of one byte 1 becomes 2, since 0 has no bytes.
  const last = changed.length - 1;
  changed[last] = changed.length === 1 && changed[0] === 1 ? 2 : (changed[last] as number) ^ 1;
  return changed;
}

/**
 * Returns blocks with each header field changed, with the last field omitted, and with one more field.
 * @param accessList of the block: where it lacks the beneficiary, as in a block without tips, another beneficiary would be as valid
 */
export function alterHeader(encoded: Uint8Array, accessList: Uint8Array | undefined): Alteration[] {
  const [header, ...body] = decodeRlp(encoded) as [RlpItem[], ...RlpItem[]];
  const withHeader = (changed: RlpInput[]): Uint8Array => encodeRlp([changed, ...body]);
  const alterations = header.map((value, index) => {
    const name = HEADER_FIELDS[index] as string;
    const isSeen = name === 'miner' && hasAccount(accessList, value as Uint8Array);
    const changed = isSeen ? undefined : BEYOND_LIMITS[name];
    return { what: name, block: withHeader(header.with(index, changed ?? flipped(value as Uint8Array))) };
  });
  return [
    ...alterations,
    { what: `without ${HEADER_FIELDS[header.length - 1]}`, block: withHeader(header.slice(0, -1)) },
    { what: 'one more field', block: withHeader([...header, Uint8Array.of(1)]) },
  ];
}

function hasAccount(accessList: Uint8Array | undefined, address: Uint8Array): boolean {
  if (accessList === undefined) return false;
  const accounts = decodeRlp(accessList) as readonly (readonly [Uint8Array, ...RlpItem[]])[];
  return accounts.some(([account]) => bytesToHex(account) === bytesToHex(address));
}

/** Yields every single change below an item: an entry omitted, duplicated, or moved, a value changed. */
function* alterItem(
  item: RlpItem,
  path: string,
): Generator<{ readonly what: string; readonly item: RlpItem }> {
  if (item instanceof Uint8Array) {
    yield { what: `${path} changed`, item: flipped(item) };
    return;
  }
  for (const [index, entry] of item.entries()) {
    const name = `${path}[${index}]`;
    for (const inner of alterItem(entry, name))
      yield { what: inner.what, item: item.with(index, inner.item) };
    // Members of a tuple (an account, a slot's changes, a value with its index) are only changed.
    if (!isListOfEntries(item)) continue;
    yield { what: `${name} left out`, item: item.toSpliced(index, 1) };
    yield { what: `${name} twice`, item: item.toSpliced(index, 0, entry) };
    if (index > 0) yield { what: `${name} moved up`, item: moved(item, index) };
  }
}

function moved(item: readonly RlpItem[], index: number): RlpItem[] {
  return item.with(index, item[index - 1] as RlpItem).with(index - 1, item[index] as RlpItem);
}

/** Whether an item is a list of like members: all lists, or all bytes, except pairs of an index and a value. */
function isListOfEntries(item: readonly RlpItem[]): boolean {
  const bytes = item.filter((member) => member instanceof Uint8Array).length;
  return bytes === 0 || (bytes === item.length && item.length !== 2);
}

/** Yields the block with the hash of each access list that differs from its own in one thing. */
export function* alterAccessList(encoded: Uint8Array, accessList: Uint8Array): Generator<Alteration> {
  const [header, ...body] = decodeRlp(encoded) as [RlpItem[], ...RlpItem[]];
  for (const { what, item } of alterItem(decodeRlp(accessList), 'list')) {
    const hash = keccak256(encodeRlp(item));
    yield { what, block: encodeRlp([header.with(ACCESS_LIST_HASH, hash), ...body]) };
  }
}
