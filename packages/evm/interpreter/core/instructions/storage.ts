/** Persistent and transient storage. */
import { accountOfFrame, noteNeed, usedGas } from '../frames.ts';
import { charge } from '../gas.ts';
import { isJournalFull } from '../journal.ts';
import { halt, isStatic, refund, reserve, setRefund } from '../machine.ts';
import { requireSlot, whyNot } from '../needs.ts';
import { noteSlotAccess, recordsAccesses, recordSlot } from '../recording.ts';
import {
  EIP2200, EIP2929, EIP8037, has, NET_METERING, stateSlotGas, storageAgainGas, storageClearRefund, storageResetGas,
} from '../rules.ts';
import { chargeState, refillState } from '../state-gas.ts';
import { findTransient, isSlotWarm, isTransientSet, ORIGINAL, setSlotValue, setTransient, VALUE, warmSlot } from '../slots.ts';
import { MEMORY_LIMIT, REENTRANCY_SENTRY, WRITE_PROTECTION } from '../generated/status.ts';
import { isEqual } from '../words/compare.ts';
import { copyWord, isZero, setU64 } from '../words/word.ts';

const SET_GAS: i64 = 20000;
const COLD_GAS: i64 = 2100;
const COLD_SURCHARGE: i64 = 2000;
/** EIP-2200: SSTORE fails when at most the stipend of a call remains. */
const SENTRY: i64 = 2300;
/** EIP-8038: gas of the first write to a slot in a transaction. */
const WRITE_GAS: i64 = 10000;

export function sload(sp: usize, gas: i64): i64 {
  if (recordsAccesses()) recordSlot(sp);
  const slot = requireSlot(accountOfFrame(), sp);
  if (slot == 0) return whyNot;
  if (has(EIP2929) && !isSlotWarm(slot)) {
    gas = charge(gas, COLD_SURCHARGE);
    if (gas < 0) return gas;
    if (isJournalFull()) return halt(MEMORY_LIMIT);
    warmSlot(slot);
  }
  noteSlotAccess(slot);
  copyWord(sp, slot + VALUE);
  return gas;
}

/** Stack: key, value. */
export function sstore(sp: usize, gas: i64): i64 {
  if (recordsAccesses()) recordSlot(sp);
  if (isStatic) return halt(WRITE_PROTECTION);
  if (has(EIP2200)) {
    const left = gas + reserve;
    if (left <= SENTRY) return halt(REENTRANCY_SENTRY);
    noteNeed(usedGas(left) + SENTRY + 1);
  }
  const slot = requireSlot(accountOfFrame(), sp);
  if (slot == 0) return whyNot;
  if (isJournalFull()) return halt(MEMORY_LIMIT);
  const isCold = has(EIP2929) && !isSlotWarm(slot);
  warmSlot(slot);
  const value = sp - 32;
  if (has(EIP8037)) {
    // Because of EIP-2200, more than 2,300 gas is left, so the access can be paid for.
    noteSlotAccess(slot);
    gas = payWithStateGas(slot, value, isCold ? COLD_GAS : storageAgainGas, gas);
    if (gas >= 0 && !isEqual(slot + VALUE, value)) setSlotValue(slot, value);
    return gas;
  }
  const cost = has(NET_METERING) ? netCost(slot, value) : grossCost(slot, value);
  gas = charge(gas, isCold ? cost + COLD_GAS : cost);
  if (gas >= 0 && !isEqual(slot + VALUE, value)) setSlotValue(slot, value);
  return gas;
}

/** EIP-8037, 8038: a new slot costs state gas, which is refilled when the slot is cleared in the same transaction. */
function payWithStateGas(slot: usize, value: usize, access: i64, gas: i64): i64 {
  const current = slot + VALUE;
  const original = slot + ORIGINAL;
  if (isEqual(current, value)) return charge(gas, access);
  if (isEqual(original, current)) {
    gas = charge(gas, access + WRITE_GAS);
    if (gas < 0) return gas;
    if (isZero(original)) return chargeState(stateSlotGas, gas);
    if (isZero(value)) setRefund(refund + storageClearRefund);
    return gas;
  }
  if (!isZero(original)) {
    if (isZero(current)) setRefund(refund - storageClearRefund);
    else if (isZero(value)) setRefund(refund + storageClearRefund);
  }
  if (isEqual(original, value)) {
    setRefund(refund + WRITE_GAS);
    if (isZero(original)) gas = refillState(stateSlotGas, gas);
  }
  return charge(gas, access);
}

function grossCost(slot: usize, value: usize): i64 {
  const isClear = isZero(slot + VALUE);
  if (isClear && !isZero(value)) return SET_GAS;
  if (!isClear && isZero(value)) setRefund(refund + storageClearRefund);
  return storageResetGas;
}

/** EIP-1283, 2200, 3529: the cost depends on the value at the beginning of the transaction. */
function netCost(slot: usize, value: usize): i64 {
  const current = slot + VALUE;
  const original = slot + ORIGINAL;
  if (isEqual(current, value)) return storageAgainGas;
  if (isEqual(original, current)) {
    if (isZero(original)) return SET_GAS;
    if (isZero(value)) setRefund(refund + storageClearRefund);
    return storageResetGas;
  }
  let change: i64 = 0;
  if (!isZero(original)) {
    if (isZero(current)) change -= storageClearRefund;
    else if (isZero(value)) change += storageClearRefund;
  }
  if (isEqual(original, value)) change += (isZero(original) ? SET_GAS : storageResetGas) - storageAgainGas;
  setRefund(refund + change);
  return storageAgainGas;
}

export function tload(sp: usize, gas: i64): i64 {
  const slot = findTransient(accountOfFrame(), sp);
  if (slot == 0) return halt(MEMORY_LIMIT);
  if (isTransientSet(slot)) copyWord(sp, slot + VALUE);
  else setU64(sp, 0);
  return gas;
}

export function tstore(sp: usize, gas: i64): i64 {
  if (isStatic) return halt(WRITE_PROTECTION);
  const slot = findTransient(accountOfFrame(), sp);
  if (slot == 0 || isJournalFull()) return halt(MEMORY_LIMIT);
  setTransient(slot, sp - 32);
  return gas;
}
