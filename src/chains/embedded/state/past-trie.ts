import { bytesEqual, compareBytes } from '../../../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { ChainReader, StoredHeader } from '../store/chain-reader.ts';
import { type ChangedAccount, listPastChanges, scanKeys } from './past-changes.ts';
import { StoredState } from './state-reader.ts';
import { StateTrie, type TrieChange } from './state-trie.ts';

/** Size limit for the rebuilt trie nodes of one past block, bytes. */
export const MAX_PAST_TRIE_BYTES: number = 128 * 1024 * 1024;
/** Number of accounts and slots that are written into the tries between two pauses, in about 1 ms. */
const WRITES_PER_STEP = 32;
/** Number of addresses that are hashed between two pauses. */
const HASHES_PER_STEP = 500;

/**
 * Rebuilds the tries after a past block in memory. Starts with the tries of the head, and sets every value that changed after the block back to its
 * previous value. The store's head must be `head` until the build ends.
 * @throws ChainError when too much has changed since the block
 */
export function* buildPastTrie(
  reader: ChainReader,
  { header }: StoredHeader,
  head: number,
): Generator<undefined, StateTrie> {
  const trie = new StateTrie(reader);
  const writer = new TrieWriter(trie);
  const block = Number(header.number);
  const changed = yield* sortByOwner(yield* listPastChanges(reader, block, head));
  for (const bucket of changed) {
    for (const account of bucket.sort((a, b) => compareBytes(a.owner, b.owner))) {
      for (const change of describeAccount(reader, account, block, head)) {
        if (writer.add(change)) yield;
      }
    }
  }
  writer.flush();
  if (!bytesEqual(writer.root ?? trie.apply([]), header.stateRoot)) {
    throw new Error(`the state trie of block ${block} cannot be built from the store`);
  }
  trie.unload();
  return trie;
}

/** Applies changes to the tries in groups of `WRITES_PER_STEP`. */
class TrieWriter {
  readonly #trie: StateTrie;
  #waiting: TrieChange[] = [];
  #count = 0;
  /** State root after the last applied group; undefined if no group was applied yet. */
  root: Uint8Array | undefined;

  constructor(trie: StateTrie) {
    this.#trie = trie;
  }

  /** @returns whether a group was applied, so that the caller has to pause */
  add(change: TrieChange): boolean {
    this.#waiting.push(change);
    this.#count += 1 + change.slots.length;
    if (this.#count < WRITES_PER_STEP) return false;
    this.flush();
    return true;
  }

  flush(): void {
    if (this.#count === 0) return;
    this.root = this.#trie.apply(this.#waiting);
    this.#trie.seal();
    this.#waiting = [];
    this.#count = 0;
    if (this.#trie.size > MAX_PAST_TRIE_BYTES) {
      throw new ChainError('failed', 'too much state has changed since this block to build a proof');
    }
  }
}

type OwnedAccount = ChangedAccount & { readonly owner: Uint8Array };

/** Sorts accounts into 256 groups by the first byte of their address hash. */
function* sortByOwner(accounts: Iterable<ChangedAccount>): Generator<undefined, OwnedAccount[][]> {
  const buckets = Array.from({ length: 256 }, (): OwnedAccount[] => []);
  let count = 0;
  for (const { address, slots } of accounts) {
    const owner = keccak256(address);
    buckets[owner[0] as number]?.push({ address, slots, owner });
    if (++count % HASHES_PER_STEP === 0) yield;
  }
  return buckets;
}

/**
 * Yields an account and its changed slots as they were after `block`, in parts. If the account's storage of that time was destroyed after `block`,
 * yields all slots of the account, because change lists do not contain the slots of a destroyed account.
 */
function* describeAccount(
  reader: ChainReader,
  { address, slots, owner }: OwnedAccount,
  block: number,
  head: number,
): Generator<TrieChange> {
  const past = new StoredState(reader, block);
  const account = past.getStoredAccount(address);
  if (account === undefined || account.slotCount === 0) {
    yield { owner, account, isStorageCleared: false, slots: [] };
    return;
  }
  const now = new StoredState(reader, head).getStoredAccount(address);
  const isSame = now !== undefined && now.slotCount > 0 && now.storageSince === account.storageSince;
  const groups = isSame ? groupSlots([...slots.values()]) : listStorage(reader, address);
  let isStorageCleared = !isSame;
  for (const group of groups) {
    const values = group.map((slot) => [keccak256(slot), past.getStorage(address, slot)] as const);
    const known = isStorageCleared ? values.filter(([, value]) => value.length > 0) : values;
    yield { owner, account, isStorageCleared, slots: known.sort((a, b) => compareBytes(a[0], b[0])) };
    isStorageCleared = false;
  }
}

/** Splits slots into groups of `WRITES_PER_STEP`; without slots, yields one empty group. */
function* groupSlots(slots: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  for (let at = 0; at === 0 || at < slots.length; at += WRITES_PER_STEP) {
    yield slots.slice(at, at + WRITES_PER_STEP);
  }
}

/** Yields all slots that an account has ever had in the store, in groups. */
function* listStorage(reader: ChainReader, address: Uint8Array): Generator<readonly Uint8Array[]> {
  for (const keys of scanKeys((range) => reader.listSlots(range), address)) {
    yield* groupSlots(keys.map(({ key }) => key.subarray(address.length)));
  }
}
