/**
 * State gas of the running frame (EIP-8037), a second counter next to the interpreter's gas. Additions to the state cost state gas. A charge draws on
 * the reservoir first, then on execution gas.
 */
import { noteNeed, usedGas } from './frames.ts';
import { charge } from './gas.ts';
import { reserve, setGasObserved } from './machine.ts';
import { stateAccountGas } from './rules.ts';

/** Remaining state gas reservoir. */
export let reservoir: i64 = 0;
/** State gas charged to the frame, net of refills. */
export let stateUsed: i64 = 0;
/** Part of `stateUsed` that execution gas paid. `spilled` exceeds 0 only while the reservoir is empty. */
export let spilled: i64 = 0;

/** State gas charged to the running instruction for the account that it creates. */
export let accountGas: i64 = 0;

/** Begins a message. If the reservoir is not empty, the minimum gas of the message cannot be determined. */
export function fillReservoir(amount: i64): void {
  setStateGas(amount, 0, 0);
  accountGas = 0;
  if (amount != 0) setGasObserved(true);
}
export function setStateGas(left: i64, used: i64, spill: i64): void {
  reservoir = left;
  stateUsed = used;
  spilled = spill;
}

/** Returns the part of a charge that exceeds the reservoir. */
export function spillOf(amount: i64): i64 {
  return amount > reservoir ? amount - reservoir : 0;
}
/** Records a charge, of which execution gas paid `spill`. */
export function takeState(amount: i64, spill: i64): void {
  reservoir -= amount - spill;
  stateUsed += amount;
  spilled += spill;
}

/** Charges state gas. @returns remaining gas of the slice; negative: the frame halts */
export function chargeState(amount: i64, gas: i64): i64 {
  const spill = spillOf(amount);
  const left = charge(gas, spill);
  if (left >= 0) takeState(amount, spill);
  return left;
}

/**
 * Charges a call or a creation for the account that it creates, if `isNew`. The charge is refilled when the new frame fails.
 * @returns remaining gas of the slice; negative: the frame halts
 */
export function chargeAccount(isNew: bool, gas: i64): i64 {
  accountGas = isNew ? stateAccountGas : 0;
  return isNew ? chargeState(accountGas, gas) : gas;
}

/** Refills a charge of this or another frame. @returns the part that returns to execution gas */
export function returnState(amount: i64): i64 {
  const repaid = min(amount, spilled);
  spilled -= repaid;
  reservoir += amount - repaid;
  stateUsed -= amount;
  return repaid;
}
/** Refills a charge for the running instruction. @returns remaining gas of the slice */
export function refillState(amount: i64, gas: i64): i64 {
  noteNeed(usedGas(gas + reserve));
  return gas + returnState(amount);
}

/**
 * Repays execution gas that paid for state gas, after a callee returned gas to the state gas reservoir. Only geth does so.
 * @returns the repaid execution gas
 */
export function repaySpill(): i64 {
  const repaid = min(reservoir, spilled);
  reservoir -= repaid;
  spilled -= repaid;
  return repaid;
}
