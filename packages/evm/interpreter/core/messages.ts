/** Starts and runs messages. Words are passed in the exchange region. */
import { balanceOf, codeOf, create, findAccount, hasCode, isKnown, nonceOf, precompileOf, setNonce, touch, warm, ZERO_WORD } from './accounts.ts';
import { BLOB_COUNT, BLOCK_BENEFICIARY, CALLER, GAS_PRICE, ORIGIN, TARGET, VALUE } from './generated/exchange.ts';
import { CALL, forgetOutput, popFrame, pushFrame, setContext, setOutput } from './frames.ts';
import { interpret } from './generated/dispatch.ts';
import { enter, isDelegation, pay, requireDelegate } from './instructions/calls.ts';
import { beginFirstCreation } from './instructions/create.ts';
import { isJournalFull } from './journal.ts';
import { ARENA, STACKS } from './generated/layout.ts';
import { addTransfer, logsTransfers } from './logs.ts';
import { gas, input, inputSize, isSystemCall, memoryLimit, NO_WORK, setInput, setInputEnd, setStatic, work } from './machine.ts';
import { fail, need, requireAccount, requireCode, requireDecoded, whyNot } from './needs.ts';
import { workOn } from './pending-work.ts';
import { noteAccess } from './recording.ts';
import { EIP2929, EIP3651, EIP8037, has } from './rules.ts';
import { fillReservoir } from './state-gas.ts';
import { DONE, INSUFFICIENT_BALANCE, MEMORY_LIMIT, NONCE_OVERFLOW, NOT_BEGUN, SLICE_USED, SUCCESS } from './generated/status.ts';
import { begin, open } from './transactions.ts';
import { isLess } from './words/compare.ts';
import { copyWord, isZero, setU64 } from './words/word.ts';

/** Reserves room for a message's input. Returns 0 when the input exceeds the memory limit. */
export function reserveInput(size: u32): usize {
  forgetOutput();
  if (<u64>size + 64 > <u64>memoryLimit) return 0;
  setInput(ARENA, size);
  setInputEnd((ARENA + size + 63) & ~31);
  return ARENA;
}

/**
 * Warms caller and beneficiary before the first instruction (EIP-2929, 3651). In system calls, neither caller nor beneficiary is warm, but the zero
 * address is: geth prepares the access list with zero addresses for both.
 * @returns false with the reason in `whyNot` when a region is full
 */
function warmUp(caller: usize): bool {
  if (!has(EIP2929)) return true;
  const sender = isSystemCall ? findAccount(ZERO_WORD) : caller;
  const beneficiary = has(EIP3651) && !isSystemCall ? findAccount(BLOCK_BENEFICIARY) : sender;
  if (sender == 0 || beneficiary == 0 || isJournalFull()) return fail();
  warm(sender);
  warm(beneficiary);
  return true;
}

/**
 * Begins the message with CALLER, TARGET, VALUE and the reserved input. All charges before the message are already paid, including those for the
 * accounts of target and delegate. The access list is already warm.
 * @param stateGas the state gas reservoir
 * @returns DONE when the message may run, otherwise the missing data
 */
export function beginCall(given: i64, stateGas: i64, slice: i64): i32 {
  fillReservoir(stateGas);
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
    if (!isSystemCall) warm(runs);
  }
  if (!requireDecoded(runs)) return outcome();
  noteAccess(target);
  noteAccess(runs);
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
  if (logsTransfers() && !isZero(VALUE)) addTransfer(caller, target, VALUE);
  pay(caller, target, VALUE);
  const precompile = precompileOf(target);
  if (precompile == 0 && code == 0) popFrame(SUCCESS, gas, 0, 0);
  else if (enter(precompile, code) == -3) return need;
  return DONE;
}

/** Begins a creation; the input is its initialisation code. @param nonce the creator's nonce before it was raised */
export function beginCreation(given: i64, stateGas: i64, slice: i64, nonce: u64): i32 {
  fillReservoir(stateGas);
  const caller = requireAccount(CALLER);
  if (caller == 0 || !warmUp(caller)) return outcome();
  copyWord(ORIGIN, CALLER);
  if (isLess(balanceOf(caller), VALUE)) {
    refuse(INSUFFICIENT_BALANCE, given);
    return DONE;
  }
  // From Amsterdam geth checks the nonce in CREATE and CREATE2 only. Before Amsterdam, a transaction's creation that fails this check leaves the
  // nonce unchanged.
  if (nonce == u64.MAX_VALUE && !has(EIP8037)) {
    setNonce(caller, nonce);
    refuse(NONCE_OVERFLOW, given);
    return DONE;
  }
  setStatic(false);
  return beginFirstCreation(caller, nonce, input, inputSize, given, slice, STACKS + 32, VALUE) ? DONE : outcome();
}

/** Ends a message that cannot begin, with all its gas left. */
function refuse(reason: i32, given: i64): void {
  pushFrame(CALL, 0, STACKS + 32, 0, given, given, false, given);
  popFrame(reason, given, 0, 0);
}

/** Returns the reason why a message could not begin. If a region is full, the message halts. */
function outcome(): i32 {
  if (whyNot == -3) return need;
  refuse(MEMORY_LIMIT, 0);
  return DONE;
}

/** Runs until the message is finished, the slice is used up, or data is missing. */
export function run(slice: i64): i32 {
  if (work != NO_WORK && !workOn()) return SLICE_USED;
  return interpret(slice);
}

/**
 * Starts and runs a transaction that is a call without value, gas price and access list. The input of the call is CALLER, TARGET, and `size` bytes at
 * the address that `reserveInput` returns.
 * @returns a result of `run`, the missing data of `beginCall`, or NOT_BEGUN when the sender is not loaded, or when there is no room for the sender or
 * the input
 */
export function runPlainCall(size: u32, given: f64, slice: f64): i32 {
  open();
  begin();
  const sender = findAccount(CALLER);
  if (sender == 0 || !isKnown(sender)) return NOT_BEGUN;
  create(sender);
  touch(sender);
  setNonce(sender, nonceOf(sender) + 1);
  setU64(GAS_PRICE, 0);
  setU64(VALUE, 0);
  store<u32>(BLOB_COUNT, 0);
  if (reserveInput(size) == 0) return NOT_BEGUN;
  const reason = beginCall(<i64>given, 0, <i64>slice);
  return reason == DONE ? run(<i64>slice) : reason;
}
