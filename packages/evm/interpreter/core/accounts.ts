/** Accounts that were read from the underlying state, or written. An account's entry is found by address and stored in the region ACCOUNTS. */
import {
  accountMask, firstAccountPlace, freePlaceOf, growAccountIndex, shrinkAccountIndex, takeAccountPlace,
} from './account-index.ts';
import { clearBytes } from './bytes.ts';
import { hashAddress, NEAR, strideOf } from './hashing.ts';
import {
  ACCOUNT_INDEX, ACCOUNT_INDEX_SIZE, ACCOUNTS, ACCOUNTS_END, DIRTY, DIRTY_END, P256_ADDRESS, P256_NUMBER, TOUCHED, TOUCHED_END,
} from './generated/layout.ts';
import { note32, note4, note8 } from './journal.ts';
import { epoch, isSystemCall } from './machine.ts';
import { EIP158, EIP8246, has, precompiles } from './rules.ts';
import { copyWord, isZero } from './words/word.ts';

/** Byte offsets of the fields of an account's entry. An entry begins with the address as a 32-byte word, as ADDRESS and CALLER push it. */
const ADDRESS_SIZE: usize = 32;
const BALANCE: usize = 32;
const CODE_HASH: usize = 64;
const NONCE: usize = 96;
const CODE: usize = 104;
const IS_KNOWN: usize = 108;
const EXISTS: usize = 112;
/** Flag: the account has storage in the underlying state. */
const HAS_STORAGE: usize = 116;
/**
 * Generation number of the account's storage; 0: the storage of the underlying state applies. Clearing storage sets a new generation; slots of other
 * generations do not belong to the account.
 */
const GENERATION: usize = 120;
const WARM: usize = 124;
const TOUCHED_IN: usize = 128;
const CREATED_IN: usize = 132;
const DESTROYED_IN: usize = 136;
const IS_DIRTY: usize = 140;
/** Flag: storage was cleared since changes were last collected. */
const IS_CLEARED: usize = 144;
/** Number of the precompile: 1 to 17; 18 for 0x100; 0: none. State overrides can move a precompile to another address. */
const PRECOMPILE: usize = 148;
const IS_LISTED: usize = 152;
/** Flag: the code was written since changes were last collected. */
const IS_CODE_NEW: usize = 156;
/** Address of the entry's bucket in the index. */
const PLACE: usize = 160;
/** Number of the precompile that belongs to this address, even if a state override has moved the precompile; 0: none. */
const NATIVE: usize = 164;
/** Next entry in the list of accessed accounts; 0: this account is not in the list. */
const NEXT_ACCESSED: usize = 168;
const ACCOUNT_SIZE: usize = 176;
/** Marks the last entry in the list of recorded entries. */
const END: usize = 1;

let accountsEnd: usize = ACCOUNTS;
let dirtyEnd: usize = DIRTY;
let touchedEnd: usize = TOUCHED;
let lastGeneration: u32 = 0;
let firstAccessed: usize = END;
/** keccak256 of the empty input, as a word. */
export const EMPTY_CODE_HASH: usize = memory.data<u64>([0x7bfad8045d85a470, 0xe500b653ca82273b, 0x927e7db2dcc703c0, 0xc5d2460186f7233c]);
/**
 * Address of the RIPEMD-160 precompile. On mainnet, a failed call to this precompile once left its account touched. Every client replicates the
 * effect (geth: EIP-158).
 */
const RIPEMD: u32 = 3;

/** Returns the entry of an address, and creates a missing entry. Returns 0 when the region is full. */
export function findAccount(address: usize): usize {
  const low = load<u64>(address);
  const middle = load<u64>(address, 8);
  const high = load<u32>(address, 16);
  const place = firstAccountPlace(low, middle, high);
  const slot = ACCOUNT_INDEX + (<usize>place << 2);
  const entry = <usize>load<u32>(slot);
  if (entry == 0) return add(slot, low, middle, high);
  if (load<u64>(entry) == low && load<u64>(entry, 8) == middle && load<u32>(entry, 16) == high) return entry;
  return search(low, middle, high, place);
}

/** Continues the probe sequence that begins at bucket `place`. */
function search(low: u64, middle: u64, high: u32, place: u32): usize {
  let stride: u32 = 1;
  let tried: u32 = 0;
  while (true) {
    const slot = ACCOUNT_INDEX + (<usize>place << 2);
    const entry = <usize>load<u32>(slot);
    if (entry == 0) return add(slot, low, middle, high);
    if (load<u64>(entry) == low && load<u64>(entry, 8) == middle && load<u32>(entry, 16) == high) return entry;
    if (++tried == NEAR) {
      const hash = hashAddress(low, middle, high);
      place = <u32>(hash >> 46);
      stride = strideOf(hash);
    } else place += stride;
    place &= accountMask;
  }
}

function add(slot: usize, low: u64, middle: u64, high: u32): usize {
  if (areAccountsFull()) return 0;
  if (!takeAccountPlace()) {
    grow();
    takeAccountPlace();
    slot = freePlaceOf(low, middle, high);
  }
  const entry = accountsEnd;
  accountsEnd += ACCOUNT_SIZE;
  clearBytes(entry, ACCOUNT_SIZE);
  store<u64>(entry, low);
  store<u64>(entry, middle, 8);
  store<u32>(entry, high, 16);
  if ((middle | high) == 0 && low != 0 && low <= P256_ADDRESS) {
    const number: u32 = low <= 17 ? <u32>low : low == P256_ADDRESS ? P256_NUMBER : 0;
    store<u32>(entry, number, PRECOMPILE);
    store<u32>(entry, number, NATIVE);
  }
  store<u32>(slot, entry);
  store<u32>(entry, slot, PLACE);
  return entry;
}

/** Enlarges the index and inserts all accounts again. */
function grow(): void {
  clearPlaces();
  growAccountIndex(<u32>(accountsEnd - ACCOUNTS) / <u32>ACCOUNT_SIZE);
  for (let account = ACCOUNTS; account < accountsEnd; account += ACCOUNT_SIZE) {
    const pointer = freePlaceOf(load<u64>(account), load<u64>(account, 8), load<u32>(account, 16));
    store<u32>(pointer, account);
    store<u32>(account, pointer, PLACE);
  }
}

function clearPlaces(): void {
  for (let account = ACCOUNTS; account < accountsEnd; account += ACCOUNT_SIZE) store<u32>(<usize>load<u32>(account, PLACE), 0);
}

/** Whether no further account fits: the region is full, or the index is half full. */
export function areAccountsFull(): bool {
  return accountsEnd + ACCOUNT_SIZE > ACCOUNTS_END || accountsEnd - ACCOUNTS >= <usize>(ACCOUNT_INDEX_SIZE >> 1) * ACCOUNT_SIZE;
}

export function areAccountsCrowded(): bool {
  return accountsEnd - ACCOUNTS > <usize>(ACCOUNT_INDEX_SIZE >> 2) * ACCOUNT_SIZE;
}

/** Clears all accounts. No account may be dirty, and no message may run. */
export function clearAccounts(): void {
  clearPlaces();
  shrinkAccountIndex();
  accountsEnd = ACCOUNTS;
  dirtyEnd = DIRTY;
  touchedEnd = TOUCHED;
  firstAccessed = END;
}

/** Marks an account as loaded and stores facts of the underlying state. */
export function setKnown(account: usize, exists: bool, hasStorage: bool): void {
  store<u32>(account, 1, IS_KNOWN);
  store<u32>(account, exists, EXISTS);
  store<u32>(account, hasStorage, HAS_STORAGE);
}

export function initializeNonce(account: usize, nonce: u64): void {
  store<u64>(account, nonce, NONCE);
}

@inline
export function isKnown(account: usize): bool {
  return load<u32>(account, IS_KNOWN) != 0;
}
@inline
export function exists(account: usize): bool {
  return load<u32>(account, EXISTS) != 0;
}
@inline
export function balanceOf(account: usize): usize {
  return account + BALANCE;
}
@inline
export function codeHashOf(account: usize): usize {
  return account + CODE_HASH;
}
@inline
export function nonceOf(account: usize): u64 {
  return load<u64>(account, NONCE);
}
/** Returns the entry of the account's code; 0 while the code is not loaded. */
@inline
export function codeOf(account: usize): usize {
  return <usize>load<u32>(account, CODE);
}
@inline
export function generationOf(account: usize): u32 {
  return load<u32>(account, GENERATION);
}
/** Whether slots without an entry are zero, because no storage of the underlying state applies. */
@inline
export function hasFreshStorage(account: usize): bool {
  return load<u32>(account, GENERATION) != 0 || load<u32>(account, HAS_STORAGE) == 0;
}
/** EIP-7610: whether the account has earlier storage, which a new contract must not inherit. */
export function hasOldStorage(account: usize): bool {
  return load<u32>(account, GENERATION) == 0 && load<u32>(account, HAS_STORAGE) != 0;
}
export function hasCode(account: usize): bool {
  return exists(account) && !isEmptyHash(account + CODE_HASH);
}
export function isEmptyHash(hash: usize): bool {
  return (
    load<u64>(hash) == load<u64>(EMPTY_CODE_HASH) &&
    load<u64>(hash, 8) == load<u64>(EMPTY_CODE_HASH, 8) &&
    load<u64>(hash, 16) == load<u64>(EMPTY_CODE_HASH, 16) &&
    load<u64>(hash, 24) == load<u64>(EMPTY_CODE_HASH, 24)
  );
}
/** EIP-161: whether code, nonce and balance are empty. */
export function isEmpty(account: usize): bool {
  return !exists(account) || (load<u64>(account, NONCE) == 0 && isZero(account + BALANCE) && isEmptyHash(account + CODE_HASH));
}
/** Returns the number of the precompile at the account under the active rules; 0: none. */
export function precompileOf(account: usize): u32 {
  const number = load<u32>(account, PRECOMPILE);
  return isActive(number) ? number : 0;
}
function isActive(precompile: u32): bool {
  return precompile != 0 && ((precompiles >> precompile) & 1) != 0;
}
export function setPrecompile(account: usize, number: u32): void {
  note4(account + PRECOMPILE);
  store<u32>(account, number, PRECOMPILE);
}

export function isWarm(account: usize): bool {
  return load<u32>(account, WARM) == epoch || (!isSystemCall && isActive(load<u32>(account, NATIVE)));
}
export function warm(account: usize): void {
  if (load<u32>(account, WARM) == epoch) return;
  note4(account + WARM);
  store<u32>(account, epoch, WARM);
}

/** Gives an account the precompile that belongs to its address again, after state overrides. No transaction may be open. */
export function restorePrecompile(account: usize): void {
  store<u32>(account, load<u32>(account, NATIVE), PRECOMPILE);
}

/** Records an account, unless it is already recorded. */
export function listAccess(account: usize): void {
  if (load<u32>(account, NEXT_ACCESSED) != 0) return;
  store<u32>(account, firstAccessed, NEXT_ACCESSED);
  firstAccessed = account;
}
/** Removes and returns one recorded account; 0 when none is left. */
export function takeAccess(): usize {
  if (firstAccessed == END) return 0;
  const account = firstAccessed;
  firstAccessed = <usize>load<u32>(account, NEXT_ACCESSED);
  store<u32>(account, 0, NEXT_ACCESSED);
  return account;
}

function markDirty(account: usize): void {
  if (load<u32>(account, IS_DIRTY) != 0 || dirtyEnd + 4 > DIRTY_END) return;
  store<u32>(account, 1, IS_DIRTY);
  store<u32>(dirtyEnd, account);
  dirtyEnd += 4;
}

/** EIP-161: a touched account that is empty is removed at the end of the transaction. */
export function touch(account: usize): void {
  if (load<u32>(account, TOUCHED_IN) == epoch) return;
  if (load<u32>(account, NATIVE) != RIPEMD) note4(account + TOUCHED_IN);
  store<u32>(account, epoch, TOUCHED_IN);
  list(account);
}

/** Adds an account, once, to the list that `sweepAccounts` inspects at the end of the transaction. */
function list(account: usize): void {
  if (load<u32>(account, IS_LISTED) == epoch || touchedEnd + 4 > TOUCHED_END) return;
  store<u32>(account, epoch, IS_LISTED);
  store<u32>(touchedEnd, account);
  touchedEnd += 4;
}

/** Marks an account as existing. All fields of a nonexistent account are empty. */
export function create(account: usize): void {
  if (exists(account)) return;
  note4(account + EXISTS);
  store<u32>(account, 1, EXISTS);
  markDirty(account);
}

export const ZERO_WORD: usize = memory.data<u64>([0, 0, 0, 0]);

export function setBalance(account: usize, value: usize): void {
  note32(account + BALANCE);
  copyWord(account + BALANCE, value);
  markDirty(account);
}
export function setNonce(account: usize, value: u64): void {
  note8(account + NONCE);
  store<u64>(account, value, NONCE);
  markDirty(account);
}
/** @param code entry of the code, or 0 while it is not loaded */
export function setCodeHash(account: usize, hash: usize, code: usize): void {
  note32(account + CODE_HASH);
  copyWord(account + CODE_HASH, hash);
  // The journal saves 0 as the previous code entry. An undo restores this 0, and the code is looked up again, since the cache may no longer contain
  // it.
  store<u32>(account, 0, CODE);
  note4(account + CODE);
  store<u32>(account, code, CODE);
  store<u32>(account, 1, IS_CODE_NEW);
  markDirty(account);
}
/** Caches the entry of the account's code. Only the cache changes, not the state. */
export function linkCode(account: usize, code: usize): void {
  store<u32>(account, code, CODE);
}
/** When codes at or above the address `from` leave the cache, removes the references of accounts to them. */
export function unlinkCodes(from: usize): void {
  for (let account = ACCOUNTS; account < accountsEnd; account += ACCOUNT_SIZE) {
    if (<usize>load<u32>(account, CODE) >= from) store<u32>(account, 0, CODE);
  }
}

export function isCreated(account: usize): bool {
  return load<u32>(account, CREATED_IN) == epoch;
}
export function markCreated(account: usize): void {
  note4(account + CREATED_IN);
  store<u32>(account, epoch, CREATED_IN);
}
export function isDestroyed(account: usize): bool {
  return load<u32>(account, DESTROYED_IN) == epoch;
}
export function markDestroyed(account: usize): void {
  note4(account + DESTROYED_IN);
  store<u32>(account, epoch, DESTROYED_IN);
  list(account);
}

/** Clears all storage: with the new generation number, no existing slot belongs to the account. */
export function clearStorage(account: usize): void {
  note4(account + GENERATION);
  store<u32>(account, ++lastGeneration, GENERATION);
  note4(account + IS_CLEARED);
  store<u32>(account, 1, IS_CLEARED);
  markDirty(account);
}

/** Removes code, nonce and storage. */
function empty(account: usize): void {
  setNonce(account, 0);
  setCodeHash(account, EMPTY_CODE_HASH, 0);
  clearStorage(account);
}

function remove(account: usize): void {
  empty(account);
  setBalance(account, ZERO_WORD);
  note4(account + EXISTS);
  store<u32>(account, 0, EXISTS);
}

/** Ends a transaction: removes destroyed accounts, or keeps their balance (EIP-8246), and removes touched empty accounts (EIP-161). */
export function sweepAccounts(): void {
  for (let place = TOUCHED; place < touchedEnd; place += 4) {
    const account = <usize>load<u32>(place);
    const isSwept = has(EIP158) && load<u32>(account, TOUCHED_IN) == epoch && isEmpty(account);
    if (has(EIP8246) && isDestroyed(account) && !isZero(account + BALANCE)) empty(account);
    else if (isDestroyed(account) || (isSwept && exists(account))) remove(account);
  }
  touchedEnd = TOUCHED;
}

export function forgetTouched(): void {
  touchedEnd = TOUCHED;
}

/** Functions that list the accounts that changed since the last collection of changes: their number, and the n-th account. */
export function dirtyCount(): u32 {
  return <u32>(dirtyEnd - DIRTY) >> 2;
}
export function dirtyAccount(n: u32): usize {
  return <usize>load<u32>(DIRTY + (<usize>n << 2));
}
/** Makes the collected changes part of the underlying state. */
export function settleAccounts(): void {
  for (let place = DIRTY; place < dirtyEnd; place += 4) {
    const account = <usize>load<u32>(place);
    store<u32>(account, 0, IS_DIRTY);
    store<u32>(account, 0, IS_CLEARED);
    store<u32>(account, 0, IS_CODE_NEW);
  }
  dirtyEnd = DIRTY;
}
export function wasCleared(account: usize): bool {
  return load<u32>(account, IS_CLEARED) != 0;
}
export function isCodeNew(account: usize): bool {
  return load<u32>(account, IS_CODE_NEW) != 0;
}
