/** The call stack: one record per frame, and functions that enter and leave a frame. */
import { hasCode } from './accounts.ts';
import { copyBytes } from './bytes.ts';
import { endOfCode } from './codes.ts';
import { CODES, FRAME_SIZE, FRAMES, MAX_DEPTH, RETURN_DATA, RETURN_DATA_END } from './generated/layout.ts';
import { rollbackTo, undoPiece } from './journal.ts';
import {
  code, depth, frame, input, inputEnd, inputSize, isStatic, journalEnd, logCount, logsEnd, memoryBase, memorySize, noteReturnPeak,
  refund, reserve, setCode, setDepth, setGasObserved, setInput, setLogs, setMemory, setRefund, setRegisters, setReserve,
  setReturnSize, setStackBase, setStatic, setStatus, setWork, stackBase, UNDOING,
} from './machine.ts';
import { finishCreation } from './instructions/create.ts';
import { EIP150, EIP8037, has } from './rules.ts';
import { accountGas, repaySpill, reservoir, returnState, setStateGas, spilled, stateUsed } from './state-gas.ts';
import { BODY_SWITCHES, setNeed, WORK_LEFT } from './needs.ts';
import { INSUFFICIENT_BALANCE, MEMORY_LIMIT, NONCE_OVERFLOW, REVERT, SUCCESS } from './generated/status.ts';
import { copyWord, setU64 } from './words/word.ts';

/** Saved registers of a frame while its callee runs. */
const IP: usize = 0;
const SP: usize = 4;
const GAS: usize = 8;
const STACK_BASE: usize = 16;
const MEMORY_BASE: usize = 20;
const MEMORY_SIZE: usize = 24;
const INPUT: usize = 28;
const INPUT_SIZE: usize = 32;
const CODE: usize = 36;
const IS_STATIC: usize = 40;
/** The account whose storage, balance and address the code uses. */
const ACCOUNT: usize = 44;
const KIND: usize = 48;
/** Address and size of the caller's output range. */
const OUTPUT: usize = 52;
const OUTPUT_SIZE: usize = 56;
/** State of the transaction at the frame's beginning, for undoing the frame: ends of the journal and the logs, number of logs, refund counter. */
const JOURNAL_MARK: usize = 60;
const LOGS_MARK: usize = 64;
const LOG_COUNT_MARK: usize = 68;
const REFUND_MARK: usize = 72;
/** Gas at the frame's beginning, and the minimum initial gas with which the frame would have reached the current instruction (see `noteNeed`). */
const GIVEN: usize = 80;
const NEEDED: usize = 88;
/** Fields of a frame about its call: gas that the caller had used before; gas passed on; whether more gas could not be passed on. */
const USED_BEFORE: usize = 96;
const HANDED: usize = 104;
const IS_CAPPED: usize = 112;
const PRECOMPILE: usize = 116;
/** Gas of the current slice that was not passed on to the callee. */
const SLICE_REST: usize = 120;
const CALLER_WORD: usize = 128;
const VALUE_WORD: usize = 160;
/** State gas reservoir at the frame's beginning, state gas that the caller has used, and the part of it that execution gas paid (EIP-8037). */
const RESERVOIR: usize = 192;
const CALLER_STATE_USED: usize = 200;
const CALLER_SPILLED: usize = 208;
/** State gas that the caller paid for a new account. The state gas is refilled when the frame fails. */
const ACCOUNT_STATE_GAS: usize = 216;

/** Kind of message that a frame runs. */
export const CALL: u32 = 0;
export const CALLCODE: u32 = 1;
export const DELEGATECALL: u32 = 2;
export const STATICCALL: u32 = 3;
export const CREATION: u32 = 4;

@inline
export function accountOfFrame(): usize {
  return <usize>load<u32>(frame, ACCOUNT);
}
@inline
export function callerOfFrame(): usize {
  return frame + CALLER_WORD;
}
@inline
export function valueOfFrame(): usize {
  return frame + VALUE_WORD;
}
export function precompileOfFrame(): u32 {
  return load<u32>(frame, PRECOMPILE);
}
export function kindOfFrame(): u32 {
  return load<u32>(frame, KIND);
}
/** Gas that the running frame has used. */
export function usedGas(left: i64): i64 {
  return load<i64>(frame, GIVEN) - left;
}

/** Returns the highest end address of the cached codes that frames run. */
export function endOfRunningCodes(): usize {
  if (depth < 0) return CODES;
  let end = endOfCode(code);
  for (let below = FRAMES; below < frame; below += FRAME_SIZE) end = max(end, endOfCode(load<u32>(below, CODE)));
  return end;
}

/** Whether the call depth limit prevents another frame. */
export function isTooDeep(): bool {
  return depth + 1 > <i32>MAX_DEPTH;
}

/**
 * Saves the running frame's registers and makes a new frame the running frame. The call's properties (account, caller, value, output, input, code)
 * must be set afterwards.
 * @param resultAt stack word that receives the frame's result; the new frame's stack begins above it
 * @param left gas that remains with the running frame
 * @param given gas of the new frame, including a stipend
 * @param handed the part of `given` that the running frame pays
 */
export function pushFrame(kind: u32, nextIp: usize, resultAt: usize, left: i64, given: i64, handed: i64, isCapped: bool, slice: i64): void {
  const mark = journalEnd;
  let usedBefore: i64 = 0;
  let base = inputEnd;
  if (depth >= 0) {
    store<u32>(frame, nextIp, IP);
    store<u32>(frame, resultAt, SP);
    store<i64>(frame, left, GAS);
    store<u32>(frame, stackBase, STACK_BASE);
    store<u32>(frame, memoryBase, MEMORY_BASE);
    store<u32>(frame, memorySize, MEMORY_SIZE);
    store<u32>(frame, input, INPUT);
    store<u32>(frame, inputSize, INPUT_SIZE);
    store<u32>(frame, code, CODE);
    store<u32>(frame, isStatic, IS_STATIC);
    usedBefore = usedGas(left + handed);
    base = (memoryBase + memorySize + 15) & ~15;
  }
  setDepth(depth + 1);
  store<u32>(frame, kind, KIND);
  store<u32>(frame, mark, JOURNAL_MARK);
  store<u32>(frame, logsEnd, LOGS_MARK);
  store<u32>(frame, logCount, LOG_COUNT_MARK);
  store<i64>(frame, refund, REFUND_MARK);
  store<i64>(frame, given, GIVEN);
  store<i64>(frame, 0, NEEDED);
  store<i64>(frame, usedBefore, USED_BEFORE);
  store<i64>(frame, handed, HANDED);
  store<u32>(frame, isCapped, IS_CAPPED);
  store<u32>(frame, 0, PRECOMPILE);
  if (has(EIP8037)) beginStateGas();
  setStackBase(resultAt);
  setMemory(base, 0);
  const counted = given < slice ? given : slice;
  store<i64>(frame, slice - counted, SLICE_REST);
  setReserve(given - counted);
  setRegisters(0, resultAt, counted);
}

/** Passes the whole state gas reservoir to the frame. */
function beginStateGas(): void {
  store<i64>(frame, reservoir, RESERVOIR);
  store<i64>(frame, stateUsed, CALLER_STATE_USED);
  store<i64>(frame, spilled, CALLER_SPILLED);
  store<i64>(frame, accountGas, ACCOUNT_STATE_GAS);
  setStateGas(reservoir, 0, 0);
}

/** Undoes the state charges of a failed frame. @returns the execution gas that had paid for state charges */
function undoStateGas(): i64 {
  const spill = spilled;
  setStateGas(load<i64>(frame, RESERVOIR), 0, 0);
  return spill;
}
/** Adds the state gas of the ended frame to the state gas of its caller. @returns the execution gas that is refilled to the caller */
function mergeStateGas(above: usize, result: i32): i64 {
  setStateGas(reservoir, stateUsed + load<i64>(above, CALLER_STATE_USED), spilled + load<i64>(above, CALLER_SPILLED));
  const repaid = repaySpill();
  return result == SUCCESS ? repaid : repaid + returnState(load<i64>(above, ACCOUNT_STATE_GAS));
}

/** Sets the new frame's account, caller and value; `caller` and `value` point to words that are copied. */
export function setContext(account: usize, caller: usize, value: usize): void {
  store<u32>(frame, account, ACCOUNT);
  copyWord(frame + CALLER_WORD, caller);
  copyWord(frame + VALUE_WORD, value);
}
export function setOutput(pointer: usize, size: u32): void {
  store<u32>(frame, pointer, OUTPUT);
  store<u32>(frame, size, OUTPUT_SIZE);
}
export function setFramePrecompile(number: u32): void {
  store<u32>(frame, number, PRECOMPILE);
}

/** Records, for gas estimation, that the frame needed at least `amount` gas at its beginning to come this far. */
export function noteNeed(amount: i64): void {
  if (amount > load<i64>(frame, NEEDED)) store<i64>(frame, amount, NEEDED);
}

/** Returns the minimum gas with which a caller may pass on `part`. At least 1/64 of the caller's gas is not passed on (EIP-150). */
function wholeOf(part: i64): i64 {
  if (part <= 0) return 0;
  return has(EIP150) ? part + (part - 1) / 63 : part;
}

/** Result of the whole message, after the first frame has ended. */
export let messageGasLeft: i64 = 0;
export let messageGasNeeded: i64 = 0;

/** Status, remaining gas, remaining slice and output size of the ending frame. */
let endResult: i32 = 0;
let endRest: i64 = 0;
let endSlice: i64 = 0;
let endSize: u32 = 0;

/** Address of the message's output in the first frame's memory. The bytes of the output do not change until the next message begins. */
export let messageOutput: usize = RETURN_DATA;
export function forgetOutput(): void { messageOutput = RETURN_DATA; }

/**
 * Ends the running frame in one step. If the frame fails, its changes are undone in this step, so there must be few of them.
 * @param result status of the frame
 * @param left remaining gas of the slice, without the reserve
 * @param output address of the frame's output; halts have none
 */
export function popFrame(result: i32, left: i64, output: usize, size: u32): void {
  settleFrame(result, left, output, size);
  if (endResult != SUCCESS) rollbackTo(load<u32>(frame, JOURNAL_MARK));
  leaveFrame();
}

/** Ends a frame that may have made many changes. Undoing many changes continues in later slices. */
export function endFrame(result: i32, left: i64, output: usize, size: u32): i64 {
  settleFrame(result, left, output, size);
  if (endResult != SUCCESS && !undoPiece(load<u32>(frame, JOURNAL_MARK))) {
    setWork(UNDOING);
    return setNeed(WORK_LEFT);
  }
  leaveFrame();
  return BODY_SWITCHES;
}

/** Undoes another part of a frame's changes. @returns whether the frame has ended */
export function undoFrame(): bool {
  if (!undoPiece(load<u32>(frame, JOURNAL_MARK))) return false;
  leaveFrame();
  return true;
}

/** Whether a message failed before its first instruction, so that it has used no gas. */
function isRefusal(result: i32): bool {
  return result == NONCE_OVERFLOW || result == INSUFFICIENT_BALANCE;
}

/** Computes the frame's result: makes its output available, and stores its code when it created a contract. */
function settleFrame(result: i32, left: i64, output: usize, size: u32): void {
  endSlice = (left > 0 ? left : 0) + load<i64>(frame, SLICE_REST);
  let rest = result <= REVERT || isRefusal(result) ? left + reserve : 0;
  if (size > 0 && output != RETURN_DATA) {
    if (size > <u32>(RETURN_DATA_END - RETURN_DATA)) {
      result = MEMORY_LIMIT;
      rest = 0;
      size = 0;
    } else if (depth == 0 && kindOfFrame() != CREATION) messageOutput = output;
    else {
      noteReturnPeak(size);
      copyBytes(RETURN_DATA, output, size);
    }
  }
  if (result == SUCCESS && kindOfFrame() == CREATION) {
    rest = finishCreation(accountOfFrame(), RETURN_DATA, size, rest);
    if (rest < 0) {
      result = creationFailure;
      rest = 0;
      size = 0;
    } else if (depth > 0 || !hasCode(accountOfFrame())) size = 0;
  }
  // A caller must not mistake a limit of this implementation for a failure of its callee, so the whole message ends.
  if (result == MEMORY_LIMIT) setDepth(0);
  endResult = result;
  endRest = rest;
  endSize = size;
}

/** Leaves a frame, and continues its caller. The changes of a failed frame are already undone. */
function leaveFrame(): void {
  const result = endResult;
  const size = endSize;
  let rest = endRest;
  noteNeed(usedGas(rest));
  if (result != SUCCESS) {
    if (has(EIP8037)) {
      const undone = undoStateGas();
      if (result == REVERT) rest += undone;
    }
    setLogs(load<u32>(frame, LOGS_MARK), load<u32>(frame, LOG_COUNT_MARK));
    setRefund(load<i64>(frame, REFUND_MARK));
  }
  setReturnSize(size);
  setStatus(result);
  if (depth == 0) {
    messageGasLeft = rest;
    messageGasNeeded = load<i64>(frame, NEEDED);
    setDepth(-1);
    return;
  }
  returnToCaller(result, rest, size, endSlice);
}

/** Status of a creation that fails although its initialisation code ran to the end. */
let creationFailure: i32 = 0;
export function failCreation(reason: i32): i64 {
  creationFailure = reason;
  return -1;
}

function returnToCaller(result: i32, rest: i64, size: u32, slice: i64): void {
  const above = frame;
  const isCreation = load<u32>(above, KIND) == CREATION;
  setDepth(depth - 1);
  const handed = load<i64>(above, HANDED);
  const stipend = load<i64>(above, GIVEN) - handed;
  let part = load<i64>(above, NEEDED) - stipend;
  if (result > REVERT) {
    // A halted frame consumes all gas that it received. If EIP-150 caps the gas of a call, the cap depends on the caller's gas, so the execution
    // depends on it too.
    if (load<u32>(above, IS_CAPPED) != 0) setGasObserved(true);
    part = handed;
  }
  if (part > handed) part = handed;
  noteNeed(load<i64>(above, USED_BEFORE) + wholeOf(part));
  const outputSize = load<u32>(above, OUTPUT_SIZE);
  if (!isCreation && result <= REVERT && outputSize > 0) {
    copyBytes(load<u32>(above, OUTPUT), RETURN_DATA, outputSize < size ? outputSize : size);
  }
  let total = load<i64>(frame, GAS) + rest;
  if (has(EIP8037)) total += mergeStateGas(above, result);
  const counted = total < slice ? total : slice;
  setReserve(total - counted);
  const result_ = <usize>load<u32>(frame, SP);
  setRegisters(load<u32>(frame, IP), result_, counted);
  setStackBase(load<u32>(frame, STACK_BASE));
  setMemory(load<u32>(frame, MEMORY_BASE), load<u32>(frame, MEMORY_SIZE));
  setInput(load<u32>(frame, INPUT), load<u32>(frame, INPUT_SIZE));
  setCode(load<u32>(frame, CODE));
  setStatic(load<u32>(frame, IS_STATIC) != 0);
  if (isCreation && result == SUCCESS) copyWord(result_, load<u32>(above, ACCOUNT));
  else setU64(result_, result == SUCCESS ? 1 : 0);
}
