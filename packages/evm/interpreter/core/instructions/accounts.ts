/** Instructions that read other accounts. */
import { balanceOf, codeHashOf, codeOf, hasCode, isEmpty, isWarm, warm } from '../accounts.ts';
import { BYTES, LENGTH } from '../codes.ts';
import { charge } from '../gas.ts';
import { isJournalFull } from '../journal.ts';
import { halt } from '../machine.ts';
import { requireAccount, requireCode, whyNot } from '../needs.ts';
import { noteAccess, recordAddress, recordsAccesses } from '../recording.ts';
import { coldAccountGas, EIP2929, has, warmAccountGas } from '../rules.ts';
import { MEMORY_LIMIT } from '../generated/status.ts';
import { copyWord, setU64 } from '../words/word.ts';
import { copyAddress } from './calls.ts';
import { copyPadded, payCopy } from './memory.ts';

const addressWord: usize = memory.data(32, 16);

/** Returns the account of the address on the stack; 0 with the reason in `whyNot`. */
function accountAt(sp: usize): usize {
  if (recordsAccesses()) recordAddress(sp);
  copyAddress(addressWord, sp);
  return requireAccount(addressWord);
}

/** Charges an access to an account. The first access in a transaction costs more (EIP-2929). */
function payAccess(account: usize, gas: i64): i64 {
  if (has(EIP2929) && !isWarm(account)) {
    gas = charge(gas, coldAccountGas - warmAccountGas);
    if (gas >= 0) gas = warmUp(account, gas);
    if (gas < 0) return gas;
  }
  noteAccess(account);
  return gas;
}

/** Warms an account whose access is charged. @returns `left`; negative: the journal is full */
function warmUp(account: usize, left: i64): i64 {
  if (isJournalFull()) return halt(MEMORY_LIMIT);
  warm(account);
  return left;
}

export function balance(sp: usize, gas: i64): i64 {
  const account = accountAt(sp);
  if (account == 0) return whyNot;
  const left = payAccess(account, gas);
  if (left >= 0) copyWord(sp, balanceOf(account));
  return left;
}

export function extcodesize(sp: usize, gas: i64): i64 {
  const account = accountAt(sp);
  if (account == 0 || !requireCode(account)) return whyNot;
  const left = payAccess(account, gas);
  if (left >= 0) setU64(sp, hasCode(account) ? load<u32>(codeOf(account), LENGTH) : 0);
  return left;
}

/** EIP-1052: the result is zero for an account that does not exist or is empty. */
export function extcodehash(sp: usize, gas: i64): i64 {
  const account = accountAt(sp);
  if (account == 0) return whyNot;
  const left = payAccess(account, gas);
  if (left < 0) return left;
  if (isEmpty(account)) setU64(sp, 0);
  else copyWord(sp, codeHashOf(account));
  return left;
}

/** Stack, from the top: address, destination, source, size. */
export function extcodecopy(sp: usize, gas: i64): i64 {
  const account = accountAt(sp);
  if (account == 0 || !requireCode(account)) return whyNot;
  const isCold = has(EIP2929) && !isWarm(account);
  let left = payCopy(sp - 32, isCold ? coldAccountGas - warmAccountGas : 0, gas);
  if (left >= 0 && isCold) left = warmUp(account, left);
  if (left < 0) return left;
  noteAccess(account);
  const code = hasCode(account) ? codeOf(account) : 0;
  copyPadded(sp - 32, code == 0 ? 0 : <usize>load<u32>(code, BYTES), code == 0 ? 0 : load<u32>(code, LENGTH));
  return left;
}
