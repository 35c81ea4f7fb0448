/** RLP form and rules of a block access list: the accounts and slots that a block accessed, and their values after it (EIP-7928). */
import { compareBytes, padLeft, trimLeadingZeros } from '../primitives/bytes.ts';
import {
  asBytes,
  asInteger,
  asList,
  decodeRlp,
  encodeRlp,
  type RlpInput,
  type RlpItem,
} from '../primitives/rlp.ts';

/**
 * Value of a field or slot after one part of a block. Index 0 stands for the system calls before the transactions, and index i + 1 for transaction i.
 * The index after the last transaction stands for the withdrawals and the system calls at the end of the block.
 */
export type IndexedValue<T> = { readonly index: number; readonly value: T };

export type SlotChanges = {
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** Values have no leading zero bytes; zero is the empty array. The list of changes is never empty. */
  readonly changes: readonly IndexedValue<Uint8Array>[];
};

/** Account that a block accessed. All lists are in ascending order of slot or index. No slot is in both `storageChanges` and `storageReads`. */
export type AccountAccess = {
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly storageChanges: readonly SlotChanges[];
  /** 32 bytes each. */
  readonly storageReads: readonly Uint8Array[];
  /** Wei. */
  readonly balanceChanges: readonly IndexedValue<bigint>[];
  readonly nonceChanges: readonly IndexedValue<bigint>[];
  readonly codeChanges: readonly IndexedValue<Uint8Array>[];
};

/** Accounts in ascending order of address. */
export type BlockAccessList = readonly AccountAccess[];

/** Each account and each slot in the block access list counts as this much gas, and the sum must not exceed the block gas limit (EIP-7928). */
const ITEM_GAS = 2000n;
const INDEX_BYTES = 4;
const NONCE_BYTES = 8;

export function encodeBlockAccessList(list: BlockAccessList): Uint8Array {
  return encodeRlp(list.map(accountToRlp));
}

function accountToRlp(account: AccountAccess): RlpInput {
  return [
    account.address,
    account.storageChanges.map(({ slot, changes }) => [trimLeadingZeros(slot), changesToRlp(changes)]),
    account.storageReads.map(trimLeadingZeros),
    changesToRlp(account.balanceChanges),
    changesToRlp(account.nonceChanges),
    changesToRlp(account.codeChanges),
  ];
}

function changesToRlp(changes: readonly IndexedValue<RlpInput>[]): RlpInput {
  return changes.map(({ index, value }) => [BigInt(index), value]);
}

/**
 * Decodes a block access list. `validateBlockAccessList` checks its order and limits.
 * @throws RangeError that names the malformed part
 */
export function decodeBlockAccessList(encoded: Uint8Array): BlockAccessList {
  return asList(decodeRlp(encoded), 'block access list').map(accountFromRlp);
}

function accountFromRlp(item: RlpItem): AccountAccess {
  const [address, storage, reads, balances, nonces, codes] = asTuple(item, 'account access', 6);
  return {
    address: asBytes(address, 'account address', 20),
    storageChanges: asList(storage, 'storage changes').map((entry) => {
      const [slot, changes] = asTuple(entry, 'slot changes', 2);
      return { slot: asSlot(slot), changes: changesFromRlp(changes, asStorageValue) };
    }),
    storageReads: asList(reads, 'storage reads').map(asSlot),
    balanceChanges: changesFromRlp(balances, (value) => asInteger(value, 'balance')),
    nonceChanges: changesFromRlp(nonces, (value) => asInteger(value, 'nonce', NONCE_BYTES)),
    codeChanges: changesFromRlp(codes, (value) => asBytes(value, 'code')),
  };
}

function changesFromRlp<T>(
  item: RlpItem | undefined,
  read: (value: RlpItem | undefined) => T,
): IndexedValue<T>[] {
  return asList(item, 'changes').map((change) => {
    const [index, value] = asTuple(change, 'change', 2);
    return { index: Number(asInteger(index, 'block access index', INDEX_BYTES)), value: read(value) };
  });
}

function asTuple(item: RlpItem, what: string, length: number): readonly RlpItem[] {
  const list = asList(item, what);
  if (list.length !== length) throw new RangeError(`rlp: ${what} has ${list.length} fields, want ${length}`);
  return list;
}

function asStorageValue(item: RlpItem | undefined): Uint8Array {
  asInteger(item, 'storage value');
  return asBytes(item, 'storage value');
}

function asSlot(item: RlpItem | undefined): Uint8Array {
  asInteger(item, 'storage slot');
  return padLeft(asBytes(item, 'storage slot'), 32);
}

/** Limits of a block's access list. */
export type AccessListLimits = {
  readonly gasLimit: bigint;
  readonly transactions: number;
  /** Longest code in bytes; undefined for no limit. */
  readonly codeLimit: number | undefined;
};

/** Checks order, uniqueness, indices and limits of a block access list. @throws RangeError that names the violated rule */
export function validateBlockAccessList(list: BlockAccessList, limits: AccessListLimits): void {
  expectAscending(list, (a, b) => compareBytes(a.address, b.address), 'accounts');
  const limit = limits.gasLimit / ITEM_GAS;
  const items = countItems(list);
  if (items > limit) throw new RangeError(`block access list has ${items} accounts and slots, max ${limit}`);
  for (const account of list) validateAccount(account, limits);
}

/** Counts accounts and slots; EIP-7928 limits their sum. */
function countItems(list: BlockAccessList): number {
  return list.reduce(
    (count, { storageChanges, storageReads }) => count + 1 + storageChanges.length + storageReads.length,
    0,
  );
}

function validateAccount(
  account: AccountAccess,
  { transactions, codeLimit = Infinity }: AccessListLimits,
): void {
  const { storageChanges, storageReads, balanceChanges, nonceChanges, codeChanges } = account;
  expectAscending(storageChanges, (a, b) => compareBytes(a.slot, b.slot), 'changed slots');
  expectAscending(storageReads, compareBytes, 'read slots');
  const slots = [...storageChanges.map(({ slot }) => slot), ...storageReads].sort(compareBytes);
  expectAscending(slots, compareBytes, 'changed and read slots together');
  if (storageChanges.some(({ changes }) => changes.length === 0)) {
    throw new RangeError('block access list: the list of changes of a slot is empty');
  }
  const changeLists = [
    ...storageChanges.map(({ changes }) => changes),
    balanceChanges,
    nonceChanges,
    codeChanges,
  ];
  for (const changes of changeLists) {
    expectAscending<IndexedValue<unknown>>(changes, (a, b) => a.index - b.index, 'changes');
    const last = changes.at(-1)?.index ?? 0;
    if (last > transactions + 1) {
      throw new RangeError(
        `block access list: index ${last} is too high for a block of ${transactions} transactions`,
      );
    }
  }
  const code = codeChanges.find(({ value }) => value.length > codeLimit);
  if (code !== undefined) {
    throw new RangeError(`block access list: code has ${code.value.length} bytes, max ${codeLimit}`);
  }
}

function expectAscending<T>(items: readonly T[], compare: (a: T, b: T) => number, what: string): void {
  const isAscending = items.every((item, i) => i === 0 || compare(items[i - 1] as T, item) < 0);
  if (!isAscending) throw new RangeError(`block access list: ${what} are not ascending and unique`);
}
