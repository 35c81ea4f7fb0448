import type { VersionedWrite } from './versioned-table.ts';

/** Number of latest blocks whose lists of changed keys the store retains; past tries can be rebuilt this far below the head. */
export const STORED_CHANGES = 1_024;

/** Keys of the accounts and slots that one block changed. */
export type BlockChangedKeys = {
  /** Addresses (20 bytes each). */
  readonly accounts: readonly Uint8Array[];
  /** Addresses (20 bytes) followed by slots (32 bytes). */
  readonly slots: readonly Uint8Array[];
};

const COUNT_LENGTH = 4;
const ADDRESS_LENGTH = 20;
const SLOT_KEY_LENGTH = 52;

/** Lists the changed keys of each block of a commit. */
export class ChangeCollector {
  readonly #first: number;
  readonly #blocks = new Map<number, { readonly accounts: Uint8Array[]; readonly slots: Uint8Array[] }>();

  /** @param first number of the first block of the commit; versions from older blocks are ignored, because they are already stored */
  constructor(first: number) {
    this.#first = first;
  }

  addAccount(write: VersionedWrite): void {
    for (const { since } of write.versions) {
      if (since >= this.#first) this.#changesOf(since).accounts.push(write.key);
    }
  }

  addSlot(write: VersionedWrite): void {
    for (const { since } of write.versions) {
      if (since >= this.#first) this.#changesOf(since).slots.push(write.key);
    }
  }

  /** Encodes the table row of a block: the number of accounts (4 bytes), the account keys, and the slot keys. */
  encode(block: number): Buffer {
    const { accounts, slots } = this.#changesOf(block);
    const count = Buffer.alloc(COUNT_LENGTH);
    count.writeUInt32BE(accounts.length);
    return Buffer.concat([count, ...accounts, ...slots]);
  }

  #changesOf(block: number): { readonly accounts: Uint8Array[]; readonly slots: Uint8Array[] } {
    let changes = this.#blocks.get(block);
    if (changes === undefined) {
      changes = { accounts: [], slots: [] };
      this.#blocks.set(block, changes);
    }
    return changes;
  }
}

/** Decodes a row that `ChangeCollector.encode` wrote. */
export function decodeBlockChanges(row: Buffer): BlockChangedKeys {
  const slotsAt = COUNT_LENGTH + row.readUInt32BE() * ADDRESS_LENGTH;
  return {
    accounts: splitBytes(row.subarray(COUNT_LENGTH, slotsAt), ADDRESS_LENGTH),
    slots: splitBytes(row.subarray(slotsAt), SLOT_KEY_LENGTH),
  };
}

function splitBytes(bytes: Uint8Array, length: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += length) parts.push(bytes.subarray(at, at + length));
  return parts;
}
