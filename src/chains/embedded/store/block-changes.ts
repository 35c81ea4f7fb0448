import type { VersionedWrite } from './versioned-table.ts';

/** Number of blocks below the head whose changes the store retains: past tries can be rebuilt that far back. */
export const STORED_CHANGES = 1_024;

/** Keys of the accounts and slots that one block changed. */
export type BlockChangedKeys = {
  /** Addresses (20). */
  readonly accounts: readonly Uint8Array[];
  /** Addresses (20) followed by slots (32). */
  readonly slots: readonly Uint8Array[];
};

const COUNT_LENGTH = 4;
const ADDRESS_LENGTH = 20;
const SLOT_KEY_LENGTH = 52;

/** Groups the versions that a commit writes by the blocks that made them. */
export class ChangeCollector {
  readonly #first: number;
  readonly #blocks = new Map<number, { readonly accounts: Uint8Array[]; readonly slots: Uint8Array[] }>();

  /** @param first first block of the commit; changes of older blocks are already stored */
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

  /** Encodes the row of a block: number of accounts (4), their keys, the keys of slots. */
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
