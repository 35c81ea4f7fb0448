/** Begins and ends transactions, and evicts caches between them. */
import { areAccountsCrowded, clearAccounts, dirtyCount, forgetTouched, settleAccounts, sweepAccounts, unlinkCodes } from './accounts.ts';
import { clearCodes, codesSize, releaseCodes } from './codes.ts';
import { undoPiece } from './journal.ts';
import { CODES, CODES_END, JOURNAL, LOGS } from './generated/layout.ts';
import { epoch, journalEnd, setCode, setDepth, setEpoch, setGasObserved, setJournalEnd, setLogs, setRefund, setReturnSize, setSystemCall } from './machine.ts';
import { forgetWork } from './pending-work.ts';
import { areSlotsCrowded, clearSlots, firstDirtySlot, settleSlots } from './slots.ts';

/** Maximum size of decoded code cached between transactions: half of the region, bytes. */
const MAX_KEPT_CODE: u32 = <u32>(CODES_END - CODES) >> 1;

/** Marks the beginning of the transaction. State overrides may be written between `open` and `begin`. @returns `journalMark` */
export function open(): usize {
  if (dirtyCount() == 0 && firstDirtySlot() == 0) forgetMuch();
  setJournalEnd(JOURNAL);
  forgetTouched();
  return JOURNAL;
}
/** Evicts caches between transactions when they have become large. */
function forgetMuch(): void {
  if (areAccountsCrowded() || areSlotsCrowded()) clearState();
  if (codesSize() > MAX_KEPT_CODE) {
    clearCodes();
    unlinkCodes(0);
  }
}
/** Begins a transaction, in which nothing is warm, logged or refunded yet. */
export function begin(): void {
  // Epoch 0 marks entries that no transaction has touched.
  setEpoch(epoch == u32.MAX_VALUE ? 1 : epoch + 1);
  setLogs(LOGS, 0);
  setRefund(0);
  setDepth(-1);
  setCode(0);
  setGasObserved(false);
  setSystemCall(false);
  forgetWork();
  setReturnSize(0);
  forgetTouched();
}
/** Begins a call by the protocol itself, for which precompiles are cold. */
export function beginSystemCall(): void {
  begin();
  setSystemCall(true);
}
export function journalMark(): usize { return journalEnd; }
/**
 * Undoes one piece of the changes since `open`. All changes before `open` must be collected.
 * @returns whether all changes since `open` are undone
 */
export function abandon(): bool {
  forgetWork();
  if (!undoPiece(JOURNAL)) return false;
  setDepth(-1);
  settle();
  return true;
}
/** Makes the transaction final: removes the accounts that it destroyed or left empty; nothing can be undone afterwards. */
export function finish(): void {
  // Journal entries are discarded first, so that the journal has room to remove every account.
  setJournalEnd(JOURNAL);
  sweepAccounts();
  setJournalEnd(JOURNAL);
}

export function settle(): void {
  settleAccounts();
  settleSlots();
  releaseCodes();
}

export function clearState(): void {
  clearAccounts();
  clearSlots();
  releaseCodes();
}
