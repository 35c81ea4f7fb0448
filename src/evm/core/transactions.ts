/** The beginning and the end of transactions, and what is kept between them. */
import { areAccountsCrowded, clearAccounts, dirtyCount, forgetTouched, settleAccounts, sweepAccounts, unlinkCodes } from './accounts.ts';
import { clearCodes, codesSize, releaseCodes } from './codes.ts';
import { undoPiece } from './journal.ts';
import { CODES, CODES_END, JOURNAL, LOGS } from './generated/layout.ts';
import { epoch, journalEnd, setCode, setDepth, setEpoch, setGasObserved, setJournalEnd, setLogs, setRefund, setReturnSize, setSystemCall } from './machine.ts';
import { forgetWork } from './pending-work.ts';
import { areSlotsCrowded, clearSlots, firstDirtySlot, settleSlots } from './slots.ts';

/** Bytes of decoded code that are kept between transactions: half of the region. */
const MAX_KEPT_CODE: u32 = <u32>(CODES_END - CODES) >> 1;

/** Marks where the transaction begins. Overrides may be written between this and `begin`. @returns `journalMark` */
export function open(): usize {
  if (dirtyCount() == 0 && firstDirtySlot() == 0) forgetMuch();
  setJournalEnd(JOURNAL);
  forgetTouched();
  return JOURNAL;
}
/** Makes room where what is kept between transactions has become much. */
function forgetMuch(): void {
  if (areAccountsCrowded() || areSlotsCrowded()) clearState();
  if (codesSize() > MAX_KEPT_CODE) {
    clearCodes();
    unlinkCodes(0);
  }
}
/** Begins a transaction: nothing is warm, logged or refunded. */
export function begin(): void {
  // 0 is what entries are marked with that no transaction has touched.
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
/** The same for a call by the protocol itself: precompiles are cold. */
export function beginSystemCall(): void {
  begin();
  setSystemCall(true);
}
export function journalMark(): usize { return journalEnd; }
/** Undoes a piece of everything since `open`; there was no change before it that is not collected. @returns whether that was all */
export function abandon(): bool {
  forgetWork();
  if (!undoPiece(JOURNAL)) return false;
  setDepth(-1);
  settle();
  return true;
}
/** Ends a transaction for good: what it destroyed and left empty goes; nothing is undone any more. */
export function finish(): void {
  // From its beginning the journal has room for every account's removal.
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
