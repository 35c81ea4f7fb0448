/** JSON form of block access lists (execution-apis `eth_getBlockAccessList`). */

import type {
  AccountAccess,
  BlockAccessList,
  IndexedValue,
  SlotChanges,
} from '../../packages/ethereum/codecs/block-access-list.ts';
import { padLeft, trimLeadingZeros } from '../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { parseQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { encodeDataString, quantity } from './json-values.ts';

/** Encodes the list as a JSON array, one account per piece. */
export function* encodeBlockAccessListJson(list: BlockAccessList): Generator<string> {
  yield '[';
  for (const [index, account] of list.entries()) {
    yield index === 0 ? encodeAccount(account) : `,${encodeAccount(account)}`;
  }
  yield ']';
}

function encodeAccount(account: AccountAccess): JsonText {
  const { address, storageChanges, storageReads, balanceChanges, nonceChanges, codeChanges } = account;
  return (
    `{"address":${encodeDataString(address)},"storageChanges":[${storageChanges.map(encodeSlot).join(',')}],` +
    `"storageReads":[${storageReads.map(encodeDataString).join(',')}],` +
    `"balanceChanges":${encodeChanges(balanceChanges, 'value', quantity)},` +
    `"nonceChanges":${encodeChanges(nonceChanges, 'value', quantity)},` +
    `"codeChanges":${encodeChanges(codeChanges, 'code', encodeDataString)}}`
  );
}

function encodeSlot({ slot, changes }: SlotChanges): JsonText {
  const words = encodeChanges(changes, 'value', (value) => encodeDataString(padLeft(value, 32)));
  return `{"key":${encodeDataString(slot)},"changes":${words}}`;
}

function encodeChanges<T>(
  changes: readonly IndexedValue<T>[],
  name: string,
  encode: (value: T) => JsonText,
): JsonText {
  const items = changes.map(({ index, value }) => `{"index":${quantity(index)},"${name}":${encode(value)}}`);
  return `[${items.join(',')}]`;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a node's result of `eth_getBlockAccessList`. Storage words may lack leading zeros, and members may be in any order;
 * `validateBlockAccessList` checks the rules of EIP-7928.
 * @throws RangeError that names the malformed part
 */
export function parseBlockAccessListJson(value: unknown): BlockAccessList {
  return readList(value, 'block access list').map((item): AccountAccess => {
    const account = readFields(item, 'account access');
    return {
      address: readBytes(account['address'], 'address', 20),
      storageChanges: readList(account['storageChanges'], 'storageChanges').map((entry) => {
        const { key, changes } = readFields(entry, 'slot changes');
        const readValue = (word: unknown): Uint8Array => trimLeadingZeros(readWord(word, 'value'));
        return { slot: readWord(key, 'key'), changes: readChanges(changes, 'value', readValue) };
      }),
      storageReads: readList(account['storageReads'], 'storageReads').map((slot) => readWord(slot, 'slot')),
      balanceChanges: readChanges(account['balanceChanges'], 'value', (amount) => readInteger(amount, 256)),
      nonceChanges: readChanges(account['nonceChanges'], 'value', (nonce) => readInteger(nonce, 64)),
      codeChanges: readChanges(account['codeChanges'], 'code', (code) => readBytes(code, 'code')),
    };
  });
}

function readChanges<T>(value: unknown, name: string, read: (value: unknown) => T): IndexedValue<T>[] {
  return readList(value, 'changes').map((item) => {
    const change = readFields(item, 'change');
    return { index: Number(readInteger(change['index'], 32)), value: read(change[name]) };
  });
}

function readList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new RangeError(`${what} is not an array`);
  return value;
}

function readFields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null) throw new RangeError(`${what} is not an object`);
  return value as Fields;
}

function readInteger(value: unknown, bits: number): bigint {
  if (typeof value !== 'string') throw new RangeError('a quantity is not a string');
  return parseQuantity(value, bits);
}

function readBytes(value: unknown, what: string, length?: number): Uint8Array {
  if (typeof value !== 'string') throw new RangeError(`${what} is not hex data`);
  const bytes = hexToBytes(value);
  if (length !== undefined && bytes.length !== length)
    throw new RangeError(`${what} has ${bytes.length} bytes`);
  return bytes;
}

/** Reads a word, padded to 32 bytes. */
function readWord(value: unknown, what: string): Uint8Array {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw new RangeError(`${what} is not a word`);
  return hexToBytes(`0x${value.slice(2).padStart(64, '0')}`);
}
