/** Loaded storage slots, and transient slots (EIP-1153). A slot's entry is found by account, generation and key, and stored in the region SLOTS. */
import { generationOf, hasFreshStorage, isKnown } from './accounts.ts';
import { clearBytes } from './bytes.ts';
import { hashSlot, NEAR, strideOf } from './hashing.ts';
import { entriesOf, grownMask } from './index-sizes.ts';
import { note32, note4 } from './journal.ts';
import { SLOT_INDEX, SLOT_INDEX_SIZE, SLOT_KEY, SLOT_VALUE, SLOTS, SLOTS_END } from './generated/layout.ts';
import { epoch } from './machine.ts';
import { copyWord } from './words/word.ts';

const KEY: usize = SLOT_KEY;
export const VALUE: usize = SLOT_VALUE;
/** Value at the beginning of the transaction (EIP-2200). */
export const ORIGINAL: usize = 64;
const ACCOUNT: usize = 96;
const GENERATION: usize = 100;
const WARM: usize = 104;
const IS_KNOWN: usize = 108;
const IS_DIRTY: usize = 112;
/** Next entry in the list of entries that changed since changes were last collected. */
const NEXT_DIRTY: usize = 116;
/** Address of the entry's bucket in the index. */
const PLACE: usize = 120;
/** Next recorded entry; 0: this entry is not recorded. */
const NEXT_ACCESSED: usize = 124;
const SLOT_SIZE: usize = 128;
/** Marks the last entry in the list of recorded entries. */
const END: usize = 1;
/** Maximum number of slots cached between transactions, 32 MiB. */
const CROWD: u32 = 1 << 18;

/** Generation number of transient slots. No account's storage has this generation number. */
const TRANSIENT: u32 = 0xffffffff;

/** Initial number of index buckets minus one. The initial buckets take 256 KiB. */
const LEAST_MASK: u32 = (1 << 16) - 1;

let slotsEnd: usize = SLOTS;
let peakEnd: usize = SLOTS;
let mask: u32 = LEAST_MASK;
let peakMask: u32 = LEAST_MASK;
/** Number of slots that fit before the index grows. */
let roomLeft: u32 = entriesOf(LEAST_MASK, SLOT_INDEX_SIZE);
let firstDirty: usize = 0;
let firstAccessed: usize = END;

/** Returns the entry of a key in an account's current storage, and creates a missing entry. Returns 0 when the region is full. */
export function findSlot(account: usize, key: usize): usize {
  return find(account, generationOf(account), key);
}

export function findTransient(account: usize, key: usize): usize {
  return find(account, TRANSIENT, key);
}

@inline
function find(account: usize, generation: u32, key: usize): usize {
  const k0 = load<u64>(key);
  const k1 = load<u64>(key, 8);
  const k2 = load<u64>(key, 16);
  const k3 = load<u64>(key, 24);
  const place = firstPlaceOf(k0, k1, k2, k3, <u32>account, generation);
  const entry = <usize>load<u32>(SLOT_INDEX + (<usize>place << 2));
  if (
    entry != 0 && load<u64>(entry) == k0 && load<u64>(entry, 8) == k1 && load<u64>(entry, 16) == k2 && load<u64>(entry, 24) == k3 &&
    load<u32>(entry, ACCOUNT) == <u32>account && load<u32>(entry, GENERATION) == generation
  ) return entry;
  return search(account, generation, key, place);
}

@inline
function firstPlaceOf(k0: u64, k1: u64, k2: u64, k3: u64, account: u32, generation: u32): u32 {
  const mixed = (k0 ^ rotl<u64>(k1, 17) ^ rotl<u64>(k2, 31) ^ rotl<u64>(k3, 47) ^ (<u64>account << 20) ^ generation) * 0x9e3779b97f4a7c15;
  return <u32>(mixed >> 42) & mask;
}

/** Continues the probe sequence that begins at bucket `place`. */
function search(account: usize, generation: u32, key: usize, place: u32): usize {
  const k0 = load<u64>(key);
  const k1 = load<u64>(key, 8);
  const k2 = load<u64>(key, 16);
  const k3 = load<u64>(key, 24);
  let stride: u32 = 1;
  let tried: u32 = 0;
  while (true) {
    const pointer = SLOT_INDEX + (<usize>place << 2);
    const entry = <usize>load<u32>(pointer);
    if (entry == 0) return add(pointer, account, generation, key);
    if (
      load<u64>(entry) == k0 && load<u64>(entry, 8) == k1 && load<u64>(entry, 16) == k2 && load<u64>(entry, 24) == k3 &&
      load<u32>(entry, ACCOUNT) == <u32>account && load<u32>(entry, GENERATION) == generation
    ) return entry;
    if (++tried == NEAR) {
      const hash = hashSlot(k0, k1, k2, k3, <u32>account, generation);
      place = <u32>(hash >> 42);
      stride = strideOf(hash);
    } else place += stride;
    place &= mask;
  }
}

function add(pointer: usize, account: usize, generation: u32, key: usize): usize {
  if (areSlotsFull()) return 0;
  if (roomLeft == 0) {
    grow();
    pointer = freePlaceFor(key, <u32>account, generation);
  }
  roomLeft--;
  const entry = slotsEnd;
  slotsEnd += SLOT_SIZE;
  clearBytes(entry, SLOT_SIZE);
  copyWord(entry + KEY, key);
  store<u32>(entry, account, ACCOUNT);
  store<u32>(entry, generation, GENERATION);
  if (generation != TRANSIENT && isKnown(account) && hasFreshStorage(account)) store<u32>(entry, 1, IS_KNOWN);
  store<u32>(pointer, entry);
  store<u32>(entry, pointer, PLACE);
  return entry;
}

/** Returns the first free bucket in the probe sequence of a slot that is not in the index. */
function freePlaceFor(key: usize, account: u32, generation: u32): usize {
  const k0 = load<u64>(key);
  const k1 = load<u64>(key, 8);
  const k2 = load<u64>(key, 16);
  const k3 = load<u64>(key, 24);
  let place = firstPlaceOf(k0, k1, k2, k3, account, generation);
  let stride: u32 = 1;
  let tried: u32 = 0;
  while (load<u32>(SLOT_INDEX + (<usize>place << 2)) != 0) {
    if (++tried == NEAR) {
      const hash = hashSlot(k0, k1, k2, k3, account, generation);
      place = <u32>(hash >> 42);
      stride = strideOf(hash);
    } else place += stride;
    place &= mask;
  }
  return SLOT_INDEX + (<usize>place << 2);
}

/** Enlarges the index and inserts all slots again. */
function grow(): void {
  clearPlaces();
  mask = grownMask(mask, SLOT_INDEX_SIZE);
  if (mask > peakMask) peakMask = mask;
  roomLeft = entriesOf(mask, SLOT_INDEX_SIZE) - <u32>(slotsEnd - SLOTS) / <u32>SLOT_SIZE;
  for (let slot = SLOTS; slot < slotsEnd; slot += SLOT_SIZE) {
    const pointer = freePlaceFor(slot + KEY, load<u32>(slot, ACCOUNT), load<u32>(slot, GENERATION));
    store<u32>(pointer, slot);
    store<u32>(slot, pointer, PLACE);
  }
}

function clearPlaces(): void {
  // With more slots than this, clearing the whole index takes less time than clearing the bucket of each slot.
  if (slotsEnd - SLOTS > <usize>CROWD * SLOT_SIZE) memory.fill(SLOT_INDEX, 0, <usize>(mask + 1) << 2);
  else for (let slot = SLOTS; slot < slotsEnd; slot += SLOT_SIZE) store<u32>(<usize>load<u32>(slot, PLACE), 0);
}

export function areSlotsFull(): bool {
  return slotsEnd + SLOT_SIZE > SLOTS_END || slotsEnd - SLOTS >= <usize>(SLOT_INDEX_SIZE >> 1) * SLOT_SIZE;
}

export function areSlotsCrowded(): bool {
  return slotsEnd - SLOTS > <usize>CROWD * SLOT_SIZE;
}

/** Peak size of the slots and their index buckets, bytes. */
export function slotsPeak(): u32 {
  if (slotsEnd > peakEnd) peakEnd = slotsEnd;
  return <u32>(peakEnd - SLOTS) + ((peakMask + 1) << 2);
}

export function clearSlots(): void {
  if (slotsEnd > peakEnd) peakEnd = slotsEnd;
  clearPlaces();
  // The next calls usually read as many slots as the last calls. After shrinking, the index would grow again, and growing moves 65,536 slots in one
  // step of up to 18 ms.
  if (!areSlotsCrowded()) mask = LEAST_MASK;
  roomLeft = entriesOf(mask, SLOT_INDEX_SIZE);
  slotsEnd = SLOTS;
  firstDirty = 0;
  firstAccessed = END;
}

@inline
export function isSlotKnown(slot: usize): bool {
  return load<u32>(slot, IS_KNOWN) != 0;
}
/** Stores the value that a slot has in the underlying state. */
export function setSlotKnown(slot: usize, value: usize): void {
  copyWord(slot + VALUE, value);
  copyWord(slot + ORIGINAL, value);
  store<u32>(slot, 1, IS_KNOWN);
}

@inline
export function isSlotWarm(slot: usize): bool {
  return load<u32>(slot, WARM) == epoch;
}

/**
 * Warms a slot. At the first use in a transaction, the current value becomes the original value. A rollback can make the slot cold again; its next
 * use then counts as the first use. A slot may be warmed before its value is loaded.
 */
export function warmSlot(slot: usize): void {
  if (load<u32>(slot, WARM) == epoch) return;
  note4(slot + WARM);
  store<u32>(slot, epoch, WARM);
  copyWord(slot + ORIGINAL, slot + VALUE);
}

export function setSlotValue(slot: usize, value: usize): void {
  note32(slot + VALUE);
  copyWord(slot + VALUE, value);
  if (load<u32>(slot, IS_DIRTY) != 0) return;
  store<u32>(slot, 1, IS_DIRTY);
  store<u32>(slot, firstDirty, NEXT_DIRTY);
  firstDirty = slot;
}

/** Whether this transaction has written a transient slot. Any other transient slot reads as zero, because transient values last for one transaction. */
export function isTransientSet(slot: usize): bool {
  return load<u32>(slot, WARM) == epoch;
}
export function setTransient(slot: usize, value: usize): void {
  if (load<u32>(slot, WARM) == epoch) note32(slot + VALUE);
  else {
    note4(slot + WARM);
    store<u32>(slot, epoch, WARM);
  }
  copyWord(slot + VALUE, value);
}

/** First slot of the list of slots that changed since changes were last collected. */
export function firstDirtySlot(): usize {
  return firstDirty;
}
/** Next changed slot; 0 at the end. */
export function nextDirtySlot(slot: usize): usize {
  return <usize>load<u32>(slot, NEXT_DIRTY);
}
/** Account of a changed slot; 0 when its storage was cleared after the change. */
export function ownerOf(slot: usize): usize {
  const account = <usize>load<u32>(slot, ACCOUNT);
  return generationOf(account) == load<u32>(slot, GENERATION) ? account : 0;
}
/** Makes the collected changes part of the underlying state. */
export function settleSlots(): void {
  for (let slot = firstDirty; slot != 0; slot = nextDirtySlot(slot)) store<u32>(slot, 0, IS_DIRTY);
  firstDirty = 0;
}

/** Records a slot, unless it is already recorded. */
export function listSlotAccess(slot: usize): void {
  if (load<u32>(slot, NEXT_ACCESSED) != 0) return;
  store<u32>(slot, firstAccessed, NEXT_ACCESSED);
  firstAccessed = slot;
}
/** Removes and returns one recorded slot; 0 when none is left. */
export function takeSlotAccess(): usize {
  if (firstAccessed == END) return 0;
  const slot = firstAccessed;
  firstAccessed = <usize>load<u32>(slot, NEXT_ACCESSED);
  store<u32>(slot, 0, NEXT_ACCESSED);
  return slot;
}
/** Returns the account of a slot, even after the account's storage was cleared. */
export function accountOf(slot: usize): usize {
  return <usize>load<u32>(slot, ACCOUNT);
}
