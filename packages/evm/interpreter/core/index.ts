/** Functions that the module exports to its host, which declares them in `interpreter/core-module.ts`. Words are passed in the exchange region. */
import {
  balanceOf, clearStorage, codeHashOf, codeOf, create, dirtyAccount, dirtyCount, EMPTY_CODE_HASH, exists, findAccount, hasCode, initializeNonce, isCodeNew,
  isKnown, linkCode, nonceOf, setBalance, setCodeHash, setKnown, setNonce, setPrecompile, restorePrecompile, takeAccess, touch, unlinkCodes, warm,
  wasCleared, precompileOf,
} from './accounts.ts';
import { addCode, BYTES, codesSize, findCode, keepCode, LENGTH } from './codes.ts';
import { BLOCK_HASHES, REQUEST_ADDRESS, REQUEST_KEY, WORD_A, WORD_B } from './generated/exchange.ts';
import { messageGasLeft, messageGasNeeded, messageOutput, popFrame, precompileOfFrame } from './frames.ts';
import { hashSeeds } from './hashing.ts';
import { isJournalFull, rollbackTo, undoPiece } from './journal.ts';
import { keccak256 } from './keccak.ts';
import { restartLogNumbers } from './logs.ts';
import { ARENA, JOURNAL, LOGS, RETURN_DATA, RETURN_DATA_END } from './generated/layout.ts';
import {
  arenaPeak, depth, detailA, detailB, input, inputSize, isGasObserved, journalEnd, logCount, logsEnd, noteReturnPeak, refund, reserve, returnPeak,
  returnSize, setMemoryLimit, setRecorded, setReserve, status, gas,
} from './machine.ts';
import { setRules } from './rules.ts';
import { reservoir, stateUsed } from './state-gas.ts';
import {
  accountOf, takeSlotAccess, slotsPeak, findSlot, firstDirtySlot, isSlotKnown, nextDirtySlot, ownerOf, setSlotKnown, setSlotValue, warmSlot,
} from './slots.ts';
import { ENTRY_NONE, ENTRY_UNKNOWN, REVERT } from './generated/status.ts';
import { copyWord } from './words/word.ts';
import { callsGasLeft, runCalls, whyStopped } from './call-table.ts';
import { beginCall, beginCreation, reserveInput, run, runPlainCall } from './messages.ts';
import { abandon, begin, beginSystemCall, clearState, finish, journalMark, open, settle } from './transactions.ts';

export { hashSeeds, keccak256, restartLogNumbers, rollbackTo, setMemoryLimit, setRecorded, undoPiece };
export { beginCall, beginCreation, reserveInput, run, runCalls, runPlainCall };
export { abandon, begin, beginSystemCall, clearState, finish, journalMark, open, settle };

/** Sets the rules of a revision. Codes are decoded per revision, so accounts look up their codes again. */
export function useRules(number: u32, switches: u32, precompiles: u32): void {
  setRules(number, switches, precompiles);
  unlinkCodes(0);
}

// --- addresses and sizes

export function returnDataPointer(): usize { return RETURN_DATA; }
export function returnDataSize(): u32 { return returnSize; }
/** Address of the output of the finished message. */
export function outputPointer(): usize { return messageOutput; }
export function returnDataCapacity(): u32 { return <u32>(RETURN_DATA_END - RETURN_DATA); }
export function logsPointer(): usize { return LOGS; }
export function logsCount(): u32 { return logCount; }

// --- state: the account at REQUEST_ADDRESS

/** @returns the entry of the account; 0: the region is full */
export function accountEntry(): usize { return findAccount(REQUEST_ADDRESS); }
export function accountIsKnown(account: usize): bool { return isKnown(account); }
/** Loads an account of the underlying state, with its balance in WORD_A and its code hash in WORD_B. */
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
/** Loads slot REQUEST_KEY of the underlying state, with its value in WORD_A. @returns false when the region is full */
export function supplySlot(account: usize): bool {
  const slot = findSlot(account, REQUEST_KEY);
  if (slot == 0) return false;
  setSlotKnown(slot, WORD_A);
  return true;
}
/** Returns the address to which the host writes the bytes of the code with the hash in REQUEST_KEY; 0: the region is full. */
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
/** Address and length of the account's code when it is cached; otherwise 0. */
export function accountCode(account: usize): usize {
  let code = codeOf(account);
  if (code == 0) {
    code = findCode(codeHashOf(account));
    if (code != 0) linkCode(account, code);
  }
  return code == 0 ? 0 : <usize>load<u32>(code, BYTES);
}
export function accountCodeLength(account: usize): u32 { return hasCode(account) && codeOf(account) != 0 ? load<u32>(codeOf(account), LENGTH) : 0; }

/**
 * Makes the account exist, and returns its entry. Call `existingAccount` before other functions that change the account. ENTRY_UNKNOWN: the account
 * is not loaded; ENTRY_NONE: a region is full.
 */
export function existingAccount(): usize {
  const account = findAccount(REQUEST_ADDRESS);
  if (account == 0 || isJournalFull()) return ENTRY_NONE;
  if (!isKnown(account)) return ENTRY_UNKNOWN;
  create(account);
  return account;
}
export function touchAccount(account: usize): void { touch(account); }
/** Raises the nonce of a transaction's sender, which counts as touched. */
export function raiseNonce(account: usize): void {
  touch(account);
  setNonce(account, nonceOf(account) + 1);
}
/** Sets the balance to WORD_A. */
export function setAccountBalance(account: usize): void { setBalance(account, WORD_A); }
export function setAccountNonce(account: usize, nonce: u64): void { setNonce(account, nonce); }
/** Sets the code by its hash in REQUEST_KEY. The code must have been supplied before, or be empty. */
export function setAccountCode(account: usize): void {
  const code = findCode(REQUEST_KEY);
  keepCode(code);
  setCodeHash(account, REQUEST_KEY, code);
}
export function setAccountPrecompile(account: usize, number: u32): void { setPrecompile(account, number); }
export function restoreAccountPrecompile(account: usize): void { restorePrecompile(account); }
export function clearAccountStorage(account: usize): void { clearStorage(account); }
/** Returns the slot of REQUEST_KEY; 0: the region is full. */
export function storageSlot(account: usize): usize { return findSlot(account, REQUEST_KEY); }
export function isStorageSlotKnown(slot: usize): bool { return isSlotKnown(slot); }
/** Sets a slot, whose value must be loaded, to WORD_A. */
export function setStorage(slot: usize): void { setSlotValue(slot, WORD_A); }
/** @returns false when a region is full */
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

// --- messages

export function isRunning(): bool { return depth >= 0; }
/** Remaining gas of the slice when a run requests data from its host. */
export function sliceLeft(): i64 { return gas; }

/** Number, input and gas of the precompile that a run requests. */
export function precompileNumber(): u32 { return precompileOfFrame(); }
export function precompileInput(): usize { return input; }
export function precompileInputSize(): u32 { return inputSize; }
export function precompileGas(): i64 { return gas + reserve; }
/** Finishes a precompile whose output is in the return data region. The gas of the precompile is first subtracted from the current slice. */
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
/** Remaining gas as a number, for a message whose gas was passed as a number. */
export function gasLeftNumber(): f64 { return <f64>messageGasLeft; }
/** Minimum gas with which the message would run identically; meaningless when code read its remaining gas. */
export function gasNeeded(): i64 { return messageGasNeeded; }
export function wasGasObserved(): bool { return isGasObserved; }
export function stateGasLeft(): i64 { return reservoir; }
export function stateGasUsed(): i64 { return stateUsed; }
export function gasRefund(): i64 { return refund; }

/** Stop reason of the last `runCalls`, and the total remaining gas of its successful calls. */
export function callsStop(): i32 { return whyStopped; }
export function gasLeftOfCalls(): f64 { return callsGasLeft; }

// --- recorded accesses

/** Remove and return one recorded account, or one recorded slot; 0: none is left. */
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
/** Account of a changed slot; 0 when its storage was cleared after the change. The slot begins with its key, and the value follows 32 bytes later. */
export function changedSlotOwner(slot: usize): usize { return ownerOf(slot); }

// --- memory

let stepsPeak: usize = 0;
let codesPeak: u32 = 0;

/**
 * Peak size of the used linear memory, bytes. This memory stays in use by the process, because linear memory does not shrink. Undo steps, logs and
 * codes are sampled only when `memoryPeak` is called. Call it at least once between two slices to include their peak.
 */
export function memoryPeak(): u32 {
  stepsPeak = max(stepsPeak, journalEnd - JOURNAL + logsEnd - LOGS);
  codesPeak = max(codesPeak, codesSize());
  return <u32>(arenaPeak - ARENA + stepsPeak) + returnPeak + codesPeak + slotsPeak();
}
