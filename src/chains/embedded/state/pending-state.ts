import {
  bytesEqual,
  compareBytes,
  concatBytes,
  EMPTY_BYTES,
} from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { AccountChange, AccountState, StateReader } from '../../../../packages/evm/interpreter/host.ts';
import type { Version, VersionedWrite } from '../store/versioned-table.ts';
import { clearStale, type StaleAccounts } from './stale-accounts.ts';
import { StoredState } from './state-reader.ts';
import type { StoredStateSource } from './state-source.ts';
import {
  decodeStoredAccount,
  encodeStoredAccount,
  type StoredAccount,
  toAccountState,
} from './stored-account.ts';

/** Versions of a key: the stored version, followed by its versions from the blocks of the batch. */
type Track = VersionedWrite & { readonly versions: Version[]; isChanged: boolean };
type AccountTrack = Track & { account: StoredAccount | undefined; readonly slots: Map<string, Track> };

/** Changes of the current block to an account, on top of the batch. */
type Draft = {
  readonly track: AccountTrack;
  account: StoredAccount | undefined;
  readonly slots: Map<string, { readonly track: Track; readonly value: Uint8Array }>;
};

const NEWEST = Number.MAX_SAFE_INTEGER;
/** Measured heap size of a key, and of a version without its value (arrays, map entries, number), bytes. */
const OVERHEAD_BYTES = 900;

/** Accounts and slots of blocks that are not in the store yet: a batch of sealed blocks, and a current block, which can still be discarded. */
export class PendingState implements StateReader {
  readonly #source: StoredStateSource;
  #stored: StoredState;
  readonly #batch = new Map<string, AccountTrack>();
  readonly #drafts = new Map<string, Draft>();
  readonly #codes = new Map<string, readonly [hash: Uint8Array, code: Uint8Array]>();
  /** Approximate heap size, bytes. */
  size = 0;

  constructor(source: StoredStateSource) {
    this.#source = source;
    this.#stored = new StoredState(source, NEWEST);
  }

  getStoredAccount(address: Uint8Array): StoredAccount | undefined {
    const key = bytesToHex(address);
    const known = this.#drafts.get(key) ?? this.#batch.get(key);
    return known === undefined ? this.#stored.getStoredAccount(address) : known.account;
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    const account = this.getStoredAccount(address);
    return account && toAccountState(account);
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const key = bytesToHex(address);
    const draft = this.#drafts.get(key);
    const track = draft?.track ?? this.#batch.get(key);
    if (track === undefined) return this.#stored.getStorage(address, slot);
    const account = draft === undefined ? track.account : draft.account;
    if (account === undefined || account.slotCount === 0) return EMPTY_BYTES;
    const slotKey = bytesToHex(slot);
    const drafted = draft?.slots.get(slotKey);
    if (drafted !== undefined) return drafted.value;
    const versions = track.slots.get(slotKey)?.versions;
    const last = versions === undefined ? this.#findSlot(address, slot) : versions.at(-1);
    return valueSince(last, account.storageSince);
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    return this.#codes.get(bytesToHex(codeHash))?.[1] ?? this.#stored.getCode(codeHash);
  }

  addCode(hash: Uint8Array, code: Uint8Array): void {
    this.#codes.set(bytesToHex(hash), [hash, code]);
    this.size += OVERHEAD_BYTES + code.length;
  }

  /** Applies one change of the current block, and marks the affected trie leaves in `stale`. */
  apply(
    { address, account, isStorageCleared, storage }: AccountChange,
    block: number,
    stale: StaleAccounts,
  ): void {
    const draft = this.#draftOf(address);
    const staleAccount = stale.mark(draft.track.key);
    let { slotCount, storageSince } = draft.account ?? NO_STORAGE;
    if (account === undefined || isStorageCleared) {
      if (slotCount > 0) clearStale(staleAccount);
      draft.slots.clear();
      slotCount = 0;
    }
    if (account === undefined) {
      draft.account = undefined;
      return;
    }
    for (const [slot, value] of storage) {
      const key = bytesToHex(slot);
      const drafted = draft.slots.get(key);
      const track = drafted?.track ?? this.#trackSlot(draft.track, slot, key);
      const before =
        slotCount === 0 ? EMPTY_BYTES : (drafted?.value ?? valueSince(track.versions.at(-1), storageSince));
      if (bytesEqual(before, value)) continue;
      if (slotCount === 0) storageSince = block;
      slotCount += Number(value.length > 0) - Number(before.length > 0);
      draft.slots.set(key, { track, value });
      staleAccount.slots.set(key, slot);
    }
    const { nonce, balance, codeHash } = account;
    draft.account = { nonce, balance, codeHash, slotCount, storageSince: slotCount > 0 ? storageSince : 0 };
  }

  /** Adds the current block to the batch. Must be called only for a valid block. */
  seal(block: number): void {
    const steps = this.sealSteps(block, Number.POSITIVE_INFINITY);
    while (steps.next().done !== true);
  }

  /** Adds the current block to the batch, with a pause after each `piece` accounts and slots. Until all steps are done, no change may be applied. */
  *sealSteps(block: number, piece: number): Generator<undefined, void> {
    let count = 0;
    for (const { track, account, slots } of this.#drafts.values()) {
      if (++count % piece === 0) yield;
      const encoded = account === undefined ? EMPTY_BYTES : encodeStoredAccount(account);
      if (!bytesEqual(encoded, track.versions.at(-1)?.value ?? EMPTY_BYTES)) this.#add(track, block, encoded);
      track.account = account;
      const storageSince = account?.storageSince ?? 0;
      for (const { track: slotTrack, value } of slots.values()) {
        const before = valueSince(slotTrack.versions.at(-1), storageSince);
        if (!bytesEqual(before, value)) this.#add(slotTrack, block, value);
        if (++count % piece === 0) yield;
      }
    }
    this.#drafts.clear();
  }

  /** Discards the changes of the current block. New codes remain, because they are stored by hash. */
  discard(): void {
    this.#drafts.clear();
  }

  get accounts(): VersionedWrite[] {
    return sortByKey([...this.#batch.values()].filter(({ isChanged }) => isChanged));
  }

  get slots(): VersionedWrite[] {
    const tracks = [...this.#batch.values()].flatMap(({ slots }) => [...slots.values()]);
    return sortByKey(tracks.filter(({ isChanged }) => isChanged));
  }

  get codes(): IterableIterator<readonly [hash: Uint8Array, code: Uint8Array]> {
    return this.#codes.values();
  }

  /** Clears batch, current block and codes, after the batch was committed to the store. */
  clear(): void {
    this.#batch.clear();
    this.#drafts.clear();
    this.#codes.clear();
    this.size = 0;
    this.#stored = new StoredState(this.#source, NEWEST);
  }

  #add(track: Track, since: number, value: Uint8Array): void {
    track.versions.push({ since, value });
    track.isChanged = true;
    this.size += value.length + OVERHEAD_BYTES;
  }

  #findSlot(address: Uint8Array, slot: Uint8Array): Version | undefined {
    return this.#source.findSlot(concatBytes(address, slot), NEWEST);
  }

  #draftOf(address: Uint8Array): Draft {
    const key = bytesToHex(address);
    let draft = this.#drafts.get(key);
    if (draft === undefined) {
      const track = this.#trackAccount(address, key);
      draft = { track, account: track.account, slots: new Map() };
      this.#drafts.set(key, draft);
    }
    return draft;
  }

  #trackAccount(address: Uint8Array, key: string): AccountTrack {
    let track = this.#batch.get(key);
    if (track === undefined) {
      const stored = this.#source.findAccount(address, NEWEST);
      const account = stored && decodeStoredAccount(stored.value);
      track = { ...createTrack(address.slice(), stored), account, slots: new Map() };
      this.size += OVERHEAD_BYTES;
      this.#batch.set(key, track);
    }
    return track;
  }

  #trackSlot({ key: address, slots }: AccountTrack, slot: Uint8Array, key: string): Track {
    let track = slots.get(key);
    if (track === undefined) {
      const slotKey = concatBytes(address, slot);
      track = createTrack(slotKey, this.#source.findSlot(slotKey, NEWEST));
      slots.set(key, track);
      this.size += OVERHEAD_BYTES;
    }
    return track;
  }
}

const NO_STORAGE = { slotCount: 0, storageSince: 0 };

function createTrack(key: Uint8Array, stored: Version | undefined): Track {
  return { key, versions: stored === undefined ? [] : [stored], isChanged: false };
}

/** Returns the value of a slot. A version older than `storageSince` belongs to destroyed storage and counts as zero. */
function valueSince(version: Version | undefined, storageSince: number): Uint8Array {
  return version === undefined || version.since < storageSince ? EMPTY_BYTES : version.value;
}

/** Sorts writes by key, because B-trees fill fastest in key order. */
function sortByKey(writes: VersionedWrite[]): VersionedWrite[] {
  return writes.sort((a, b) => compareBytes(a.key, b.key));
}
