/**
 * State gas of the running frame (EIP-8037), a second counter beside the interpreter's: what is charged for additions to the state.
 * It comes out of the reservoir, and where that is empty out of execution gas.
 */
import { noteNeed, usedGas } from './frames.ts';
import { charge } from './gas.ts';
import { reserve, setGasObserved } from './machine.ts';
import { stateAccountGas } from './rules.ts';

/** What is left of the reservoir. */
export let reservoir: i64 = 0;
/** What the frame was charged less what it was given back. */
export let stateUsed: i64 = 0;
/** What of that came out of execution gas. Only while the reservoir is empty is it more than 0. */
export let spilled: i64 = 0;

/** What the running instruction was charged for the account that it brings to life. */
export let accountGas: i64 = 0;

/** A message begins. How much gas it would have needed is not known where some of it lies in a reservoir. */
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

/** What of a charge the reservoir does not hold. */
export function spillOf(amount: i64): i64 {
  return amount > reservoir ? amount - reservoir : 0;
}
/** Enters a charge; `spill` of it was paid with execution gas. */
export function takeState(amount: i64, spill: i64): void {
  reservoir -= amount - spill;
  stateUsed += amount;
  spilled += spill;
}

/** @returns gas left of the slice; negative: the frame halts */
export function chargeState(amount: i64, gas: i64): i64 {
  const spill = spillOf(amount);
  const left = charge(gas, spill);
  if (left >= 0) takeState(amount, spill);
  return left;
}

/** Charges a call or a creation for an account, if it `isNew`: that comes back where the new frame fails. @returns gas left of the slice */
export function chargeAccount(isNew: bool, gas: i64): i64 {
  accountGas = isNew ? stateAccountGas : 0;
  return isNew ? chargeState(accountGas, gas) : gas;
}

/** Gives back a charge of this frame or another one. @returns how much of it is execution gas */
export function returnState(amount: i64): i64 {
  const repaid = min(amount, spilled);
  spilled -= repaid;
  reservoir += amount - repaid;
  stateUsed -= amount;
  return repaid;
}
/** The same for an instruction. @returns gas left of the slice */
export function refillState(amount: i64, gas: i64): i64 {
  noteNeed(usedGas(gas + reserve));
  return gas + returnState(amount);
}

/** A frame above this one has returned gas to the reservoir: what was spilled comes back (geth only). @returns execution gas */
export function repaySpill(): i64 {
  const repaid = min(reservoir, spilled);
  reservoir -= repaid;
  spilled -= repaid;
  return repaid;
}
