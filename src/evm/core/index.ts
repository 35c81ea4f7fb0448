/** What the module shows to its host. Words go through the exchange region; see `evm/core-module.ts` for the other side. */
import {
  areAccountsCrowded, balanceOf, clearAccounts, clearStorage, codeHashOf, codeOf, create, dirtyAccount, dirtyCount, EMPTY_CODE_HASH, exists,
  findAccount, forgetTouched, hasCode, initializeNonce, isCodeNew, isKnown, linkCode, nonceOf, setBalance, setCodeHash, setKnown, setNonce, setPrecompile,
  restorePrecompile, settleAccounts, sweepAccounts, takeAccess, touch, unlinkCodes, warm, wasCleared, precompileOf,
} from './accounts.ts';
import { addCode, BYTES, clearCodes, codesSize, findCode, keepCode, LENGTH, releaseCodes } from './codes.ts';
import { BLOCK_BENEFICIARY, BLOCK_HASHES, CALLER, ORIGIN, REQUEST_ADDRESS, REQUEST_KEY, TARGET, VALUE, WORD_A, WORD_B } from './exchange.ts';
import { CALL, forgetOutput, messageGasLeft, messageGasNeeded, messageOutput, popFrame, precompileOfFrame, pushFrame, setContext, setOutput } from './frames.ts';
import { interpret } from './generated/dispatch.ts';
import { beginFirstCreation } from './instructions/create.ts';
import { enter, isDelegation, pay, requireDelegate } from './instructions/calls.ts';
import { hashSeeds } from './hashing.ts';
import { isJournalFull, rollbackTo, undoPiece } from './journal.ts';
import { keccak256 } from './keccak.ts';
import { addTransfer, restartLogNumbers } from './logs.ts';
import { ARENA, CODES, CODES_END, JOURNAL, LOGS, RETURN_DATA, RETURN_DATA_END, STACKS } from './layout.ts';
import {
  arenaPeak, depth, detailA, detailB, epoch, input, inputSize, isGasObserved, journalEnd, logCount, logsEnd, memoryLimit, noteReturnPeak, refund, reserve, returnPeak, returnSize,
  setCode, setDepth, setEpoch, setGasObserved, setInput, setInputEnd, setJournalEnd, setLogs, setMemoryLimit, setRecorded, setRefund, setReserve,
  setReturnSize, setStatic, status, gas, NO_WORK, work,
} from './machine.ts';
import { fail, need, requireAccount, requireCode, requireDecoded, whyNot } from './needs.ts';
import { recordsTransfers } from './recording.ts';
import { EIP2929, EIP3651, has, setRules } from './rules.ts';
import { forgetWork, workOn } from './pending-work.ts';
import { isLess } from './words/compare.ts';
import {
  accountOf, areSlotsCrowded, clearSlots, takeSlotAccess, slotsPeak, findSlot, firstDirtySlot, isSlotKnown, nextDirtySlot, ownerOf, setSlotKnown, setSlotValue, settleSlots, warmSlot,
} from './slots.ts';
import { DONE, INSUFFICIENT_BALANCE, MEMORY_LIMIT, NONCE_OVERFLOW, REVERT, SLICE_USED, SUCCESS } from './status.ts';
import { copyWord, isZero } from './words/word.ts';

export { hashSeeds, keccak256, restartLogNumbers, rollbackTo, setMemoryLimit, setRecorded, undoPiece };

/** Bytes of decoded code that are kept between transactions: half of the region. */
const MAX_KEPT_CODE: u32 = <u32>(CODES_END - CODES) >> 1;

/** Chooses the revision. Codes are decoded per revision: accounts find theirs anew. */
export function useRules(
  number: u32, features: u32, precompiles: u32, expByteGas: i64, storageAgainGas: i64, storageResetGas: i64, storageClearRefund: i64,
): void {
  setRules(number, features, precompiles, expByteGas, storageAgainGas, storageResetGas, storageClearRefund);
  unlinkCodes(0);
}

// --- where things are

export function returnDataPointer(): usize { return RETURN_DATA; }
export function returnDataSize(): u32 { return returnSize; }
/** Where the message's output begins, once it has ended. */
export function outputPointer(): usize { return messageOutput; }
export function returnDataCapacity(): u32 { return <u32>(RETURN_DATA_END - RETURN_DATA); }
export function logsPointer(): usize { return LOGS; }
export function logsCount(): u32 { return logCount; }

/** Room for a message's input. 0: more than memory may hold. */
export function reserveInput(size: u32): usize {
  forgetOutput();
  if (<u64>size + 64 > <u64>memoryLimit) return 0;
  setInput(ARENA, size);
  setInputEnd((ARENA + size + 63) & ~31);
  return ARENA;
}

// --- state: the account at REQUEST_ADDRESS

/** @returns its entry; 0: the region is full */
export function accountEntry(): usize { return findAccount(REQUEST_ADDRESS); }
export function accountIsKnown(account: usize): bool { return isKnown(account); }
/** Tells what the state below has: balance in WORD_A, code hash in WORD_B. */
export function supplyAccount(account: usize, doesExist: bool, nonce: u64, hasStorage: bool): void {
  setKnown(account, doesExist, hasStorage);
  if (!doesExist) {
    copyWord(codeHashOf(account), EMPTY_CODE_HASH);
    return;
  }
  copyWord(balanceOf(account), WORD_A);
  copyWord(codeHashOf(account), WORD_B);
  initializeNonce(account, nonce);
}
/** Tells what the state below has in slot REQUEST_KEY: WORD_A. False: the region is full. */
export function supplySlot(account: usize): bool {
  const slot = findSlot(account, REQUEST_KEY);
  if (slot == 0) return false;
  setSlotKnown(slot, WORD_A);
  return true;
}
/** Where the bytes of the code whose hash is at REQUEST_KEY go. 0: the region is full. */
export function supplyCode(length: u32): usize {
  let code = findCode(REQUEST_KEY);
  if (code == 0 || load<u32>(code, LENGTH) != length) code = addCode(REQUEST_KEY, length);
  return code == 0 ? 0 : <usize>load<u32>(code, BYTES);
}
export function supplyBlockHash(number: u64): void {
  const place = BLOCK_HASHES + (<usize>number & 255) * 40;
  store<u64>(place, number + 1);
  copyWord(place + 8, WORD_A);
}
export function forgetBlockHashes(): void { memory.fill(BLOCK_HASHES, 0, 256 * 40); }

export function accountExists(account: usize): bool { return exists(account); }
export function accountBalance(account: usize): usize { return balanceOf(account); }
export function accountNonce(account: usize): u64 { return nonceOf(account); }
export function accountCodeHash(account: usize): usize { return codeHashOf(account); }
export function accountHasCode(account: usize): bool { return hasCode(account); }
export function accountPrecompile(account: usize): u32 { return precompileOf(account); }
/** Bytes and length of its code, when that is here: 0 otherwise. */
export function accountCode(account: usize): usize {
  let code = codeOf(account);
  if (code == 0) {
    code = findCode(codeHashOf(account));
    if (code != 0) linkCode(account, code);
  }
  return code == 0 ? 0 : <usize>load<u32>(code, BYTES);
}
export function accountCodeLength(account: usize): u32 { return hasCode(account) && codeOf(account) != 0 ? load<u32>(codeOf(account), LENGTH) : 0; }

/** What `existingAccount` says of an account that is not known yet; no entry is there. */
const UNKNOWN: usize = 1;
/** Before any change: its entry, and it exists from now on; UNKNOWN; 0 when a region is full. */
export function existingAccount(): usize {
  const account = findAccount(REQUEST_ADDRESS);
  if (account == 0 || isJournalFull()) return 0;
  if (!isKnown(account)) return UNKNOWN;
  create(account);
  return account;
}
export function touchAccount(account: usize): void { touch(account); }
/** A transaction's sender: touched, and its nonce is one more. */
export function raiseNonce(account: usize): void {
  touch(account);
  setNonce(account, nonceOf(account) + 1);
}
/** WORD_A is the new balance. */
export function setAccountBalance(account: usize): void { setBalance(account, WORD_A); }
export function setAccountNonce(account: usize, nonce: u64): void { setNonce(account, nonce); }
/** The code's hash is at REQUEST_KEY; the code itself was supplied, or is nothing. */
export function setAccountCode(account: usize): void {
  const code = findCode(REQUEST_KEY);
  keepCode(code);
  setCodeHash(account, REQUEST_KEY, code);
}
export function setAccountPrecompile(account: usize, number: u32): void { setPrecompile(account, number); }
export function restoreAccountPrecompile(account: usize): void { restorePrecompile(account); }
export function clearAccountStorage(account: usize): void { clearStorage(account); }
/** The slot of REQUEST_KEY. 0: the region is full */
export function storageSlot(account: usize): usize { return findSlot(account, REQUEST_KEY); }
export function isStorageSlotKnown(slot: usize): bool { return isSlotKnown(slot); }
/** A slot whose value is known gets WORD_A. */
export function setStorage(slot: usize): void { setSlotValue(slot, WORD_A); }
/** False: a region is full. */
export function warmAccount(account: usize): bool {
  if (isJournalFull()) return false;
  warm(account);
  return true;
}
export function warmAccountSlot(account: usize): bool {
  const slot = findSlot(account, REQUEST_KEY);
  if (slot == 0 || isJournalFull()) return false;
  warmSlot(slot);
  return true;
}

// --- transactions

/** Marks where the transaction begins. Overrides may be written between this and `begin`. @returns `journalMark` */
export function open(): usize {
  if (dirtyCount() == 0 && firstDirtySlot() == 0) forgetMuch();
  setJournalEnd(JOURNAL);
  forgetTouched();
  return JOURNAL;
}
/** Makes room where what is kept between transactions has become much. */
function forgetMuch(): void {
  if (areAccountsCrowded() || areSlotsCrowded()) clearState();
  if (codesSize() > MAX_KEPT_CODE) {
    clearCodes();
    unlinkCodes(0);
  }
}
/** Begins a transaction: nothing is warm, logged or refunded. */
export function begin(): void {
  // 0 is what entries are marked with that no transaction has touched.
  setEpoch(epoch == u32.MAX_VALUE ? 1 : epoch + 1);
  setLogs(LOGS, 0);
  setRefund(0);
  setDepth(-1);
  setCode(0);
  setGasObserved(false);
  forgetWork();
  setReturnSize(0);
  forgetTouched();
}
export function journalMark(): usize { return journalEnd; }
/** Undoes everything since `open`; there was no change before it that is not collected. */
export function abandon(): void {
  forgetWork();
  rollbackTo(JOURNAL);
  setDepth(-1);
  settle();
}
/** Ends a transaction for good: what it destroyed and left empty goes; nothing is undone any more. */
export function finish(): void {
  // From its beginning the journal has room for every account's removal.
  setJournalEnd(JOURNAL);
  sweepAccounts();
  setJournalEnd(JOURNAL);
}

// --- messages

/** EIP-2929 and 3651: caller and beneficiary are warm before the first instruction. False with `whyNot`: a region is full. */
function warmUp(caller: usize): bool {
  if (!has(EIP2929)) return true;
  const beneficiary = has(EIP3651) ? findAccount(BLOCK_BENEFICIARY) : caller;
  if (beneficiary == 0 || isJournalFull()) return fail();
  warm(caller);
  warm(beneficiary);
  return true;
}

/**
 * Begins the message: CALLER, TARGET, VALUE and the reserved input. Payment was done before, and so were access lists.
 * @returns DONE when it may be run, or what is missing
 */
export function beginCall(given: i64, slice: i64): i32 {
  const caller = requireAccount(CALLER);
  if (caller == 0) return outcome();
  const target = requireAccount(TARGET);
  if (target == 0 || !requireCode(target) || !warmUp(caller)) return outcome();
  warm(target);
  copyWord(ORIGIN, CALLER);
  let runs = target;
  if (hasCode(target) && isDelegation(codeOf(target))) {
    runs = requireDelegate(codeOf(target));
    if (runs == 0) return outcome();
    warm(runs);
  }
  if (!requireDecoded(runs)) return outcome();
  const code = hasCode(runs) ? codeOf(runs) : 0;
  if (isLess(balanceOf(caller), VALUE)) {
    refuse(INSUFFICIENT_BALANCE, given);
    return DONE;
  }
  const data = input;
  const size = inputSize;
  pushFrame(CALL, 0, STACKS + 32, 0, given, given, false, slice);
  setContext(target, CALLER, VALUE);
  setOutput(0, 0);
  setStatic(false);
  setInput(data, size);
  if (recordsTransfers() && !isZero(VALUE)) addTransfer(caller, target, VALUE);
  pay(caller, target, VALUE);
  const precompile = precompileOf(target);
  if (precompile == 0 && code == 0) popFrame(SUCCESS, gas, 0, 0);
  else if (enter(precompile, code) == -3) return need;
  return DONE;
}

/** The same for a creation; the input is its initialisation code, `nonce` the creator's before it was raised. */
export function beginCreation(given: i64, slice: i64, nonce: u64): i32 {
  const caller = requireAccount(CALLER);
  if (caller == 0 || !warmUp(caller)) return outcome();
  copyWord(ORIGIN, CALLER);
  if (isLess(balanceOf(caller), VALUE)) {
    refuse(INSUFFICIENT_BALANCE, given);
    return DONE;
  }
  if (nonce == u64.MAX_VALUE) {
    refuse(NONCE_OVERFLOW, given);
    return DONE;
  }
  setStatic(false);
  return beginFirstCreation(caller, nonce, input, inputSize, given, slice, STACKS + 32, VALUE) ? DONE : outcome();
}

function refuse(reason: i32, given: i64): void {
  pushFrame(CALL, 0, STACKS + 32, 0, given, given, false, given);
  popFrame(reason, 0, 0, 0);
}

/** Why a message could not begin; a full region halts it. */
function outcome(): i32 {
  if (whyNot == -3) return need;
  refuse(MEMORY_LIMIT, 0);
  return DONE;
}

/** Runs on until the message is done, the slice is used, or something is missing. */
export function run(slice: i64): i32 {
  if (work != NO_WORK && !workOn()) return SLICE_USED;
  return interpret(slice);
}
export function isRunning(): bool { return depth >= 0; }
/** What the running frame has left of the slice, when a run asks its host for something. */
export function sliceLeft(): i64 { return gas; }

/** The precompile that a run asked for: number, input, gas. */
export function precompileNumber(): u32 { return precompileOfFrame(); }
export function precompileInput(): usize { return input; }
export function precompileInputSize(): u32 { return inputSize; }
export function precompileGas(): i64 { return gas + reserve; }
/** Its output is in the return data region. Gas that it does not leave is gone, from the slice first. */
export function supplyPrecompile(result: i32, left: i64, size: u32): void {
  if (result > REVERT) {
    popFrame(result, 0, 0, 0);
    return;
  }
  noteReturnPeak(size);
  const cost = gas + reserve - left;
  const counted = cost < gas ? gas - cost : 0;
  setReserve(left - counted);
  popFrame(result, counted, RETURN_DATA, size);
}

export function messageStatus(): i32 { return status; }
export function messageDetailA(): u32 { return detailA; }
export function messageDetailB(): u32 { return detailB; }
export function gasLeft(): i64 { return messageGasLeft; }
/** Gas without which the message would not have run as it did; meaningless when code looked at its gas. */
export function gasNeeded(): i64 { return messageGasNeeded; }
export function wasGasObserved(): bool { return isGasObserved; }
export function gasRefund(): i64 { return refund; }

// --- what was recorded

/** Takes an account, or a slot, off the list of those that were recorded; 0: there is none left. */
export function takeAccessedAccount(): usize { return takeAccess(); }
export function takeAccessedSlot(): usize { return takeSlotAccess(); }
export function accountOfSlot(slot: usize): usize { return accountOf(slot); }

// --- changes

export function changedAccounts(): u32 { return dirtyCount(); }
export function changedAccount(n: u32): usize { return dirtyAccount(n); }
export function storageWasCleared(account: usize): bool { return wasCleared(account); }
export function codeIsNew(account: usize): bool { return isCodeNew(account); }
export function firstChangedSlot(): usize { return firstDirtySlot(); }
export function nextChangedSlot(slot: usize): usize { return nextDirtySlot(slot); }
/** The account of a changed slot; 0 when its storage was cleared since. The key is at the slot, the value 32 bytes on. */
export function changedSlotOwner(slot: usize): usize { return ownerOf(slot); }
export function settle(): void {
  settleAccounts();
  settleSlots();
  releaseCodes();
}

// --- memory

let stepsPeak: usize = 0;
let codesPeak: u32 = 0;

/**
 * Bytes of this module's memory that take room in the process: linear memory does not shrink. Undo steps, logs and codes are
 * looked at when this is asked, often enough between two slices.
 */
export function memoryPeak(): u32 {
  stepsPeak = max(stepsPeak, journalEnd - JOURNAL + logsEnd - LOGS);
  codesPeak = max(codesPeak, codesSize());
  return <u32>(arenaPeak - ARENA + stepsPeak) + returnPeak + codesPeak + slotsPeak();
}

// --- caches

export function clearState(): void {
  clearAccounts();
  clearSlots();
  releaseCodes();
}
