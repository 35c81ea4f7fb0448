/** SELFDESTRUCT. */
import {
  balanceOf, isCreated, isDestroyed, isEmpty, exists, isWarm, markDestroyed, setBalance, warm,
} from '../accounts.ts';
import { accountOfFrame } from '../frames.ts';
import { charge } from '../gas.ts';
import { isJournalFull } from '../journal.ts';
import { halt, isStatic, refund, reserve, setRefund } from '../machine.ts';
import { requireAccount, whyNot } from '../needs.ts';
import { addTransfer, hasRoomForTransfer, logsTransfers } from '../logs.ts';
import { noteAccess, recordAddress, recordsAccesses } from '../recording.ts';
import {
  accountWriteGas, coldAccountGas, EIP150, EIP158, EIP2929, EIP3529, EIP6780, EIP8246, has, newAccountGas, stateAccountGas,
} from '../rules.ts';
import { chargeState } from '../state-gas.ts';
import { MEMORY_LIMIT, OUT_OF_CALL_GAS, WRITE_PROTECTION } from '../generated/status.ts';
import { copyWord, isZero, setU64 } from '../words/word.ts';
import { copyAddress, pay } from './calls.ts';

const REFUND: i64 = 24000;

const addressWord: usize = memory.data(32, 16);
const amount: usize = memory.data(32, 16);
const zero: usize = memory.data<u64>([0, 0, 0, 0]);

/**
 * Sends the account's balance to the address on the stack. The account itself is destroyed at the end of the transaction; since EIP-6780 only when
 * the same transaction created it.
 * @returns remaining gas; the frame ends successfully
 */
export function selfdestruct(sp: usize, gas: i64): i64 {
  if (recordsAccesses()) recordAddress(sp);
  if (isStatic) return halt(WRITE_PROTECTION);
  copyAddress(addressWord, sp);
  const heir = requireAccount(addressWord);
  if (heir == 0) return whyNot;
  if (isJournalFull() || (logsTransfers() && !hasRoomForTransfer())) return halt(MEMORY_LIMIT);
  const self = accountOfFrame();
  let cost: i64 = 0;
  if (has(EIP2929) && !isWarm(heir)) {
    cost += coldAccountGas;
    warm(heir);
    if (gas + reserve < cost) return halt(OUT_OF_CALL_GAS);
  }
  noteAccess(heir);
  const isNew = has(EIP158) ? isEmpty(heir) && !isZero(balanceOf(self)) : has(EIP150) && !exists(heir);
  if (isNew) cost += newAccountGas + accountWriteGas;
  gas = charge(gas, cost);
  // Only a new beneficiary account costs state gas, which is not refilled.
  if (gas >= 0 && isNew) gas = chargeState(stateAccountGas, gas);
  if (gas < 0) return gas;
  if (!has(EIP3529) && !isDestroyed(self)) setRefund(refund + REFUND);
  const isGone = !has(EIP6780) || isCreated(self);
  copyWord(amount, balanceOf(self));
  if (logsTransfers() && !isZero(amount)) addTransfer(self, heir, amount);
  if (self != heir) pay(self, heir, amount);
  else if (isGone && !has(EIP8246)) setBalance(self, zero);
  if (isGone) markDestroyed(self);
  return gas;
}
