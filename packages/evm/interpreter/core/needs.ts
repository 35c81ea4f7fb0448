/** Requests for missing data. A function returns the result that the instruction's body must return, or stores this result in `whyNot`. */
import { findAccount, hasCode, isKnown, codeOf, codeHashOf, linkCode } from './accounts.ts';
import { findCode, forgetOthers, hasRoomToDecode, isDecoded, prepareCode } from './codes.ts';
import { REQUEST_ADDRESS, REQUEST_KEY } from './generated/exchange.ts';
import { halt } from './machine.ts';
import { MEMORY_LIMIT, NEEDS_ACCOUNT, NEEDS_BLOCK_HASH, NEEDS_CODE, NEEDS_SLOT, SLICE_USED } from './generated/status.ts';
import { findSlot, isSlotKnown } from './slots.ts';
import { copyWord, setU64 } from './words/word.ts';

/** Results of an instruction's body. A result that is not negative is the remaining gas. */
export const BODY_HALTS: i64 = -1;
/** The running frame changed: instruction pointer, stack and gas must be reloaded. */
export const BODY_SWITCHES: i64 = -2;
/** Data is missing: the instruction restarts after the host supplied it. */
export const BODY_NEEDS: i64 = -3;

/** A need that stays within the core: work between two instructions is unfinished (see `pending-work`). `run` then returns SLICE_USED to the host. */
export const WORK_LEFT: i32 = 7;

/** Kind of the missing data, which `run` returns. */
export let need: i32 = 0;

export function setNeed(reason: i32): i64 {
  need = reason;
  return BODY_NEEDS;
}

/** Returns the account at an address; 0 with the reason in `whyNot`. */
export function requireAccount(address: usize): usize {
  const account = findAccount(address);
  if (account == 0) {
    whyNot = halt(MEMORY_LIMIT);
    return 0;
  }
  if (isKnown(account)) return account;
  copyWord(REQUEST_ADDRESS, address);
  whyNot = setNeed(NEEDS_ACCOUNT);
  return 0;
}

/** Result that an instruction's body returns when it could not get its data. */
export let whyNot: i64 = 0;

/** Sets `whyNot` when a region is full. */
export function fail(): bool {
  whyNot = halt(MEMORY_LIMIT);
  return false;
}

/** Whether the account has no code or its code is loaded; otherwise the reason is in `whyNot`. */
export function requireCode(account: usize): bool {
  if (!hasCode(account) || codeOf(account) != 0) return true;
  const code = findCode(codeHashOf(account));
  if (code != 0) {
    linkCode(account, code);
    return true;
  }
  copyWord(REQUEST_KEY, codeHashOf(account));
  whyNot = setNeed(NEEDS_CODE);
  return false;
}

/** Whether the account has no code or its code is ready to run; otherwise the reason is in `whyNot`. */
export function requireDecoded(account: usize): bool {
  if (!requireCode(account)) return false;
  if (!hasCode(account) || isDecoded(codeOf(account))) return true;
  if (!hasRoomToDecode(codeOf(account))) {
    if (forgetOthers(codeOf(account))) return requireDecoded(account);
    whyNot = halt(MEMORY_LIMIT);
    return false;
  }
  if (prepareCode(codeOf(account))) return true;
  whyNot = setNeed(SLICE_USED);
  return false;
}

/** Returns the entry of a slot whose value is loaded; 0 with the reason in `whyNot`. */
export function requireSlot(account: usize, key: usize): usize {
  const slot = findSlot(account, key);
  if (slot == 0) {
    whyNot = halt(MEMORY_LIMIT);
    return 0;
  }
  if (isSlotKnown(slot)) return slot;
  copyWord(REQUEST_ADDRESS, account);
  copyWord(REQUEST_KEY, key);
  whyNot = setNeed(NEEDS_SLOT);
  return 0;
}

export function needBlockHash(number: u64): i64 {
  setU64(REQUEST_KEY, number);
  return setNeed(NEEDS_BLOCK_HASH);
}

/** Gas that an instruction has paid before it restarts. */
export let prepaid: i64 = 0;

/** Pauses an instruction that has paid; it restarts in the next slice. */
export function pauseAfterPaying(amount: i64): i64 {
  prepaid = amount;
  return setNeed(SLICE_USED);
}
export function prepay(amount: i64): i64 {
  if (whyNot == BODY_NEEDS) prepaid = amount;
  return whyNot;
}
export function takePrepaid(): i64 {
  const amount = prepaid;
  prepaid = 0;
  return amount;
}
