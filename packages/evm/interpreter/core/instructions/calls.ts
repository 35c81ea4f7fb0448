/** CALL, CALLCODE, DELEGATECALL, STATICCALL, and the first message of a transaction. */
import {
  balanceOf, codeHashOf, codeOf, create, exists, findAccount, hasCode, isEmpty, isWarm, precompileOf, setBalance, touch, warm,
} from '../accounts.ts';
import { BYTES, INSTRUCTIONS, isDecoded, LENGTH } from '../codes.ts';
import {
  accountOfFrame, CALL, CALLCODE, callerOfFrame, DELEGATECALL, isTooDeep, noteNeed, popFrame, pushFrame, setContext, setFramePrecompile,
  setOutput, STATICCALL, usedGas, valueOfFrame,
} from '../frames.ts';
import { charge } from '../gas.ts';
import { isJournalFull } from '../journal.ts';
import { RETURN_DATA } from '../generated/layout.ts';
import {
  gas as gasRegister, halt, input, inputSize, isStatic, memoryBase, memorySize, reserve, setCode, setInput, setRegisters, setReserve,
  setReturnSize, setStatic, sp as spRegister, status,
} from '../machine.ts';
import { endOf, growthCost, growUpTo } from '../memory.ts';
import { addTransfer, hasRoomForTransfer, logsTransfers, skipTransfer } from '../logs.ts';
import { BODY_HALTS, BODY_SWITCHES, requireAccount, requireCode, requireDecoded, setNeed, whyNot } from '../needs.ts';
import { noteAccess, recordAddress, recordsAccesses } from '../recording.ts';
import {
  callValueGas, coldAccountGas, EIP150, EIP158, EIP2929, EIP7702, EIP8037, has, newAccountGas, warmAccountGas,
} from '../rules.ts';
import { accountGas, chargeAccount, returnState } from '../state-gas.ts';
import { GAS_OVERFLOW, PRICE_OVERFLOW, MEMORY_LIMIT, NEEDS_PRECOMPILE, OUT_OF_CALL_GAS, OUT_OF_GAS, SUCCESS, WRITE_PROTECTION } from '../generated/status.ts';
import { addWords, subWords } from '../words/add.ts';
import { isLess } from '../words/compare.ts';
import { fitsU64, isZero, setU64 } from '../words/word.ts';

const STIPEND: i64 = 2300;
const IDENTITY: u32 = 4;

/** EIP-7702: size of a delegation, 0xef0100 and an address. */
const DELEGATION_SIZE: u32 = 23;

const addressWord: usize = memory.data(32, 16);
const targetWord: usize = memory.data(32, 16);
const zeroWord: usize = memory.data<u64>([0, 0, 0, 0]);

/** Copies the address in the lower 20 bytes of a stack word to a word. */
export function copyAddress(destination: usize, source: usize): void {
  store<u64>(destination, load<u64>(source));
  store<u64>(destination, load<u64>(source, 8), 8);
  store<u64>(destination, load<u64>(source, 16) & 0xffffffff, 16);
  store<u64>(destination, 0, 24);
}

/** Whether a code is a delegation. */
export function isDelegation(code: usize): bool {
  if (!has(EIP7702) || code == 0 || load<u32>(code, LENGTH) != DELEGATION_SIZE) return false;
  return (load<u32>(load<u32>(code, BYTES)) & 0xffffff) == 0x0001ef;
}

/** Returns the account that a delegation names; 0 with the reason in `whyNot` when it is not loaded. */
export function requireDelegate(code: usize): usize {
  const bytes = <usize>load<u32>(code, BYTES);
  memory.fill(targetWord, 0, 32);
  for (let i: usize = 0; i < 20; i++) store<u8>(targetWord + i, load<u8>(bytes + 22 - i));
  return requireAccount(targetWord);
}

/**
 * Returns the gas to pass on: the requested gas, limited so that at least 1/64 of the remaining gas is left (EIP-150). Before EIP-150, returns -1
 * when the requested gas exceeds the remaining gas.
 */
function gasToHand(asked: usize, total: i64): i64 {
  const isSmall = fitsU64(asked) && load<i64>(asked) >= 0;
  if (!has(EIP150)) return isSmall && load<i64>(asked) <= total ? load<i64>(asked) : -1;
  const most = total - (total >> 6);
  return isSmall && load<i64>(asked) < most ? load<i64>(asked) : most;
}

/**
 * Body of all four call instructions. Stack, from the top: gas, address, value (CALL, CALLCODE), input offset and size, output offset and size. The
 * result replaces the lowest of these words.
 */
export function callBody(kind: u32, ip: usize, sp: usize, gas: i64): i64 {
  const hasValue = kind <= CALLCODE;
  const valueAt = sp - 64;
  const inputAt = hasValue ? sp - 96 : sp - 64;
  const outputAt = inputAt - 64;
  const resultAt = outputAt - 32;
  const passesValue = hasValue && !isZero(valueAt);
  const isTransfer = kind == CALL && passesValue && logsTransfers();
  if (recordsAccesses()) recordAddress(sp - 32);
  if (kind == CALL && passesValue && isStatic) return halt(WRITE_PROTECTION);
  if (isJournalFull() || (isTransfer && !hasRoomForTransfer())) return halt(MEMORY_LIMIT);

  copyAddress(addressWord, sp - 32);
  const target = requireAccount(addressWord);
  if (target == 0 || !requireCode(target)) return whyNot;
  let runs = target;
  let delegate: usize = 0;
  let code = hasCode(target) ? codeOf(target) : 0;
  if (isDelegation(code)) {
    delegate = requireDelegate(code);
    if (delegate == 0 || !requireCode(delegate)) return whyNot;
    runs = delegate;
    code = hasCode(delegate) ? codeOf(delegate) : 0;
  }
  if (code != 0 && !isDecoded(code)) {
    if (!requireDecoded(runs)) return whyNot;
    code = codeOf(runs);
  }

  const cost = surcharge(kind, target, delegate, passesValue);
  const end = max(endOf(inputAt, inputAt - 32), endOf(outputAt, outputAt - 32));
  const available = gas + reserve;
  const reached = memorySize;
  gas = growUpTo(end, cost, gas);
  if (gas < 0) return gas == BODY_HALTS ? explainUnpaid(status, kind, sp, target, passesValue, available, end, reached, cost) : gas;
  if (has(EIP8037)) {
    gas = payAccounts(target, delegate, kind == CALL && passesValue, gas);
    if (gas < 0) return halt(OUT_OF_CALL_GAS);
  }
  let total = gas + reserve;
  const handed = gasToHand(sp, total);
  if (handed < 0) return explainUnpaid(OUT_OF_GAS, kind, sp, target, passesValue, available, end, reached, cost);
  if (has(EIP2929)) {
    warm(target);
    if (delegate != 0) warm(delegate);
  }
  // At this point, the callee has not yet returned an unused stipend, so the frame needs all gas that it has used so far. Before EIP-150, the frame
  // also needs the gas requested for the callee.
  noteNeed(usedGas(total) + (has(EIP150) ? 0 : handed));
  const isCapped = has(EIP150) && handed == total - (total >> 6);
  total -= handed;
  const given = passesValue ? handed + STIPEND : handed;
  const self = accountOfFrame();
  if (isTooDeep() || (passesValue && isLess(balanceOf(self), valueAt))) {
    if (isTransfer) skipTransfer();
    total += returnState(accountGas);
    return answer(ip, resultAt, total + given, gas, 0);
  }
  const precompile = precompileOf(target);
  if (kind == CALL && !exists(target) && has(EIP158) && !passesValue && precompile == 0) {
    return answer(ip, resultAt, total + given, gas, 1);
  }

  const size = <u32>load<u64>(inputAt - 32);
  const data = size == 0 ? memoryBase : memoryBase + <usize>load<u64>(inputAt);
  const outputSize = <u32>load<u64>(outputAt - 32);
  const output = outputSize == 0 ? memoryBase : memoryBase + <usize>load<u64>(outputAt);
  const isDelegated = kind == DELEGATECALL;
  const account = kind == CALL || kind == STATICCALL ? target : self;
  const caller = isDelegated ? callerOfFrame() : self;
  const value = isDelegated ? valueOfFrame() : hasValue ? valueAt : zeroWord;
  if (code == 0 && precompile == 0) {
    // The callee has no code, so the call changes the accounts at once, and cannot fail from here on.
    if (isTransfer) addTransfer(self, target, valueAt);
    if (kind == CALL) pay(self, target, valueAt);
    else if (kind == STATICCALL && exists(target)) touch(target);
    return answer(ip, resultAt, total + given, gas, 1);
  }
  pushFrame(kind, ip + 16, resultAt, total, given, handed, isCapped, gas);
  setContext(account, caller, value);
  setOutput(output, outputSize);
  setInput(data, size);
  if (isTransfer) addTransfer(self, target, value);
  if (kind == CALL) pay(self, target, value);
  else if (kind == STATICCALL && exists(target)) touch(target);
  if (kind == STATICCALL) setStatic(true);
  return enter(precompile, code);
}

/**
 * Halts an unpayable call. The reported reason is the one that geth finds first (core/vm/operations_acl.go, gas_table.go, gas.go). geth charges some
 * of the costs while it computes the price. If such a charge fails, geth's text repeats the reason (OUT_OF_CALL_GAS).
 * @param reason reason of the failed payment
 * @param available gas after the static cost
 * @param reached memory size before the call
 * @param cost cost of the call besides static gas, memory and the gas for the callee
 */
function explainUnpaid(
  reason: i32, kind: u32, sp: usize, target: usize, passesValue: bool, available: i64, end: u64, reached: u32, cost: i64,
): i64 {
  if (reason == GAS_OVERFLOW || reason == MEMORY_LIMIT) return halt(reason);
  const coldCost = has(EIP2929) && !isWarm(target) ? coldAccountGas - warmAccountGas : 0;
  if (available < coldCost) return halt(OUT_OF_CALL_GAS);
  if (reason == PRICE_OVERFLOW) return halt(reason);
  const memoryCost = growthCost(reached, end);
  const isShort = available < coldCost + memoryCost + (passesValue ? callValueGas : 0);
  if (has(EIP7702) || (kind == CALL && isShort)) return halt(OUT_OF_CALL_GAS);
  if (has(EIP150)) return halt(OUT_OF_GAS);
  // Before EIP-150 the requested gas is part of the price, which must fit 64 bits.
  return halt(fitsU64(sp) && load<u64>(sp) <= u64.MAX_VALUE - <u64>(memoryCost + cost) ? OUT_OF_GAS : PRICE_OVERFLOW);
}

/**
 * Charges for the delegate, and for an account that the call creates (EIP-8037, 8038). Each account counts as accessed once all earlier charges are
 * paid. When a later charge fails, the block access list still contains the accesses made so far.
 */
function payAccounts(target: usize, delegate: usize, isTransfer: bool, gas: i64): i64 {
  noteAccess(target);
  if (delegate != 0) {
    gas = charge(gas, delegateGas(target, delegate));
    if (gas < 0) return gas;
    noteAccess(delegate);
  }
  return chargeAccount(isTransfer && isEmpty(target), gas);
}

/** EIP-7702: gas for the access to the delegate. */
function delegateGas(target: usize, delegate: usize): i64 {
  return delegate == target || isWarm(delegate) ? warmAccountGas : coldAccountGas;
}

/**
 * EIP-150, 158, 2929, 7702: cost of a call beyond its static gas and memory. From EIP-8037 on, delegates and new accounts are charged
 * afterwards.
 */
function surcharge(kind: u32, target: usize, delegate: usize, passesValue: bool): i64 {
  let cost: i64 = 0;
  if (has(EIP2929)) {
    if (!isWarm(target)) cost += coldAccountGas - warmAccountGas;
    if (delegate != 0 && !has(EIP8037)) cost += delegateGas(target, delegate);
  }
  if (passesValue) cost += callValueGas;
  if (kind == CALL && (has(EIP158) ? passesValue && isEmpty(target) : !exists(target))) cost += newAccountGas;
  return cost;
}

/** Transfers value; the receiver then exists, and counts as touched (EIP-161). */
export function pay(from: usize, to: usize, value: usize): void {
  create(to);
  touch(to);
  if (isZero(value)) return;
  subWords(addressWord, balanceOf(from), value);
  setBalance(from, addressWord);
  addWords(addressWord, balanceOf(to), value);
  setBalance(to, addressWord);
}

/** Ends a call that needs no frame. @param slice remaining gas of this slice */
function answer(ip: usize, resultAt: usize, total: i64, slice: i64, result: u64): i64 {
  setU64(resultAt, result);
  setReturnSize(0);
  const counted = total < slice ? total : slice;
  setReserve(total - counted);
  setRegisters(ip + 16, resultAt, counted);
  return BODY_SWITCHES;
}

/** Begins the execution of the pushed frame. Code that the frame runs must already be decoded. */
export function enter(precompile: u32, code: usize): i64 {
  setReturnSize(0);
  if (precompile != 0) {
    setFramePrecompile(precompile);
    if (precompile != IDENTITY) return setNeed(NEEDS_PRECOMPILE);
    runIdentity();
    return BODY_SWITCHES;
  }
  setCode(code);
  setRegisters(<usize>load<u32>(code, INSTRUCTIONS), spRegister, gasRegister);
  return BODY_SWITCHES;
}

function runIdentity(): void {
  const left = charge(gasRegister, 15 + 3 * <i64>((<u64>inputSize + 31) >> 5));
  if (left < 0) popFrame(OUT_OF_GAS, 0, 0, 0);
  else popFrame(SUCCESS, left, input, inputSize);
}
