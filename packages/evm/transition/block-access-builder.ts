import type {
  AccountAccess,
  BlockAccessList,
  IndexedValue,
} from '../../ethereum/codecs/block-access-list.ts';
import { bytesEqual, EMPTY_BYTES } from '../../ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH } from '../../ethereum/primitives/keccak.ts';
import type { AccountChange, StateChanges, StateReader } from '../interpreter/host.ts';
import type { StateAccess } from '../interpreter/message.ts';

type SlotDraft = { readonly slot: Uint8Array; readonly changes: IndexedValue<Uint8Array>[] };

type AccountDraft = {
  readonly address: Uint8Array;
  /** Slots by key; a slot without changes was only read. */
  readonly slots: Map<string, SlotDraft>;
  readonly balanceChanges: IndexedValue<bigint>[];
  readonly nonceChanges: IndexedValue<bigint>[];
  readonly codeChanges: IndexedValue<Uint8Array>[];
};

/** Builds a block access list (EIP-7928) from the accesses and changes of the block's parts, added in order. */
export class BlockAccessBuilder {
  readonly #accounts = new Map<string, AccountDraft>();

  /** Adds an accessed account, changed or not. */
  touch(address: Uint8Array): void {
    this.#accountOf(address);
  }

  noteAccesses(accesses: readonly StateAccess[]): void {
    for (const { address, slot } of accesses) {
      const account = this.#accountOf(address);
      if (slot !== undefined) slotOf(account, slot);
    }
  }

  /**
   * Adds the changes of one part of the block. As in geth, each system call is compared with the state before that call, even when several calls have
   * the same index. If one call changes a value and a later call restores it, the restored value is therefore in the list.
   * @param before the state before these changes
   */
  addChanges(index: number, { accounts, codes }: StateChanges, before: StateReader): void {
    const newCodes = new Map(codes.map(([hash, code]) => [bytesToHex(hash), code]));
    const codeOf = (hash: Uint8Array): Uint8Array => {
      if (bytesEqual(hash, EMPTY_CODE_HASH)) return EMPTY_BYTES;
      return newCodes.get(bytesToHex(hash)) ?? before.getCode(hash);
    };
    for (const change of accounts) this.#addChange(index, change, before, codeOf);
  }

  #addChange(
    index: number,
    { address, account, storage }: AccountChange,
    before: StateReader,
    codeOf: (hash: Uint8Array) => Uint8Array,
  ): void {
    const was = before.getAccount(address) ?? NO_ACCOUNT;
    const is = account ?? NO_ACCOUNT;
    const draft = this.#accountOf(address);
    if (is.balance !== was.balance) put(draft.balanceChanges, index, is.balance);
    if (is.nonce !== was.nonce) put(draft.nonceChanges, index, is.nonce);
    if (!bytesEqual(is.codeHash, was.codeHash)) put(draft.codeChanges, index, codeOf(is.codeHash));
    for (const [slot, value] of storage) {
      if (!bytesEqual(value, before.getStorage(address, slot))) {
        put(slotOf(draft, slot).changes, index, value);
      }
    }
  }

  build(): BlockAccessList {
    return inOrder(this.#accounts).map(completeAccount);
  }

  #accountOf(address: Uint8Array): AccountDraft {
    const key = bytesToHex(address);
    let account = this.#accounts.get(key);
    if (account === undefined) {
      account = { address, slots: new Map(), balanceChanges: [], nonceChanges: [], codeChanges: [] };
      this.#accounts.set(key, account);
    }
    return account;
  }
}

const NO_ACCOUNT = { balance: 0n, nonce: 0n, codeHash: EMPTY_CODE_HASH };

function slotOf({ slots }: AccountDraft, slot: Uint8Array): SlotDraft {
  const key = bytesToHex(slot);
  let draft = slots.get(key);
  if (draft === undefined) {
    draft = { slot, changes: [] };
    slots.set(key, draft);
  }
  return draft;
}

/** Sets the value at `index`, which must not be less than the last index. */
function put<T>(changes: IndexedValue<T>[], index: number, value: T): void {
  if (changes.at(-1)?.index === index) changes.pop();
  changes.push({ index, value });
}

function completeAccount(draft: AccountDraft): AccountAccess {
  const { slots, ...account } = draft;
  const ordered = inOrder(slots);
  return {
    ...account,
    storageChanges: ordered.filter(({ changes }) => changes.length > 0),
    storageReads: ordered.filter(({ changes }) => changes.length === 0).map(({ slot }) => slot),
  };
}

/** Sorts by key: hex keys of equal length sort like the bytes that they encode. */
function inOrder<T>(drafts: ReadonlyMap<string, T>): T[] {
  return [...drafts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, draft]) => draft);
}
