/** SELFDESTRUCT. */
import {
  balanceOf, isCreated, isDestroyed, isEmpty, exists, isWarm, markDestroyed, setBalance, warm,
} from '../accounts.ts';
import { accountOfFrame } from '../frames.ts';
import { charge } from '../gas.ts';
import { isJournalFull } from '../journal.ts';
import { halt, isStatic, refund, reserve, setRefund } from '../machine.ts';
import { requireAccount, whyNot } from '../needs.ts';
import { addTransfer, hasRoomForTransfer } from '../logs.ts';
import { recordAddress, recordsAccesses, recordsTransfers } from '../recording.ts';
import { EIP150, EIP158, EIP2929, EIP3529, EIP6780, has } from '../rules.ts';
import { MEMORY_LIMIT, OUT_OF_CALL_GAS, WRITE_PROTECTION } from '../generated/status.ts';
import { copyWord, isZero, setU64 } from '../words/word.ts';
import { copyAddress, pay } from './calls.ts';

const COLD_GAS: i64 = 2600;
const NEW_ACCOUNT_GAS: i64 = 25000;
const REFUND: i64 = 24000;

const addressWord: usize = memory.data(32, 16);
const amount: usize = memory.data(32, 16);
const zero: usize = memory.data<u64>([0, 0, 0, 0]);

/**
 * The balance goes to the account on the stack. The account itself goes at the end of the transaction; since EIP-6780
 * only when it was created in this one.
 * @returns gas left; the frame ends successfully
 */
export function selfdestruct(sp: usize, gas: i64): i64 {
  if (recordsAccesses()) recordAddress(sp);
  if (isStatic) return halt(WRITE_PROTECTION);
  copyAddress(addressWord, sp);
  const heir = requireAccount(addressWord);
  if (heir == 0) return whyNot;
  if (isJournalFull() || (recordsTransfers() && !hasRoomForTransfer())) return halt(MEMORY_LIMIT);
  const self = accountOfFrame();
  let cost: i64 = 0;
  if (has(EIP2929) && !isWarm(heir)) {
    cost += COLD_GAS;
    warm(heir);
    if (gas + reserve < COLD_GAS) return halt(OUT_OF_CALL_GAS);
  }
  if (has(EIP158) ? isEmpty(heir) && !isZero(balanceOf(self)) : has(EIP150) && !exists(heir)) cost += NEW_ACCOUNT_GAS;
  gas = charge(gas, cost);
  if (gas < 0) return gas;
  if (!has(EIP3529) && !isDestroyed(self)) setRefund(refund + REFUND);
  const isGone = !has(EIP6780) || isCreated(self);
  copyWord(amount, balanceOf(self));
  if (recordsTransfers() && !isZero(amount)) addTransfer(self, heir, amount);
  if (self != heir) pay(self, heir, amount);
  else if (isGone) setBalance(self, zero);
  if (isGone) markDestroyed(self);
  return gas;
}
