/**
 * Recordings of a transaction in addition to its result: value transfers as logs, and the accounts and slots that instructions name. While anything
 * is recorded, a basic block that cannot be paid for runs up to its failing instruction, in every frame.
 */
import { findAccount, listAccess } from './accounts.ts';
import { accountOfFrame } from './frames.ts';
import { RECORD_ACCESSES, RECORD_BLOCK_ACCESSES } from './generated/layout.ts';
import * as Op from './generated/operations.ts';
import { recorded } from './machine.ts';
import { findSlot, listSlotAccess } from './slots.ts';
import { copyAddress } from './instructions/calls.ts';

const addressWord: usize = memory.data(32, 16);

@inline
export function isRecording(): bool {
  return recorded != 0;
}
/** Records an access that a message has paid for, for the block access list (EIP-7928). */
@inline
export function noteAccess(account: usize): void {
  if ((recorded & RECORD_BLOCK_ACCESSES) != 0) listAccess(account);
}
@inline
export function noteSlotAccess(slot: usize): void {
  if ((recorded & RECORD_BLOCK_ACCESSES) != 0) listSlotAccess(slot);
}
@inline
export function recordsAccesses(): bool {
  return (recorded & RECORD_ACCESSES) != 0;
}

/** Records the account at the address in a stack word. If the region of accounts is full, nothing is recorded, and the instruction itself halts. */
export function recordAddress(word: usize): void {
  copyAddress(addressWord, word);
  const account = findAccount(addressWord);
  if (account != 0) listAccess(account);
}

/** Records the running frame's slot at the key in a stack word. */
export function recordSlot(word: usize): void {
  const slot = findSlot(accountOfFrame(), word);
  if (slot != 0) listSlotAccess(slot);
}

function isCall(opcode: u32): bool {
  return opcode == Op.CALL || opcode == Op.CALLCODE || opcode == Op.DELEGATECALL || opcode == Op.STATICCALL;
}

/**
 * Records the account or slot that an instruction names, although the remaining gas does not pay for the instruction. The operands are on the stack.
 */
export function recordUnpaid(opcode: u32, sp: usize): void {
  if (opcode == Op.SLOAD || opcode == Op.SSTORE) recordSlot(sp);
  else if (
    opcode == Op.BALANCE || opcode == Op.EXTCODESIZE || opcode == Op.EXTCODECOPY || opcode == Op.EXTCODEHASH || opcode == Op.SELFDESTRUCT
  ) recordAddress(sp);
  else if (isCall(opcode)) recordAddress(sp - 32);
}

/** Minimum number of operands with which geth's access list tracer reads the address of a call. */
const CALL_OPERANDS: u32 = 5;

/** Records the account or slot named by an instruction that lacks some operands. The parameter `words` is the number of words on the stack. */
export function recordShort(opcode: u32, words: u32, sp: usize): void {
  if (words >= (isCall(opcode) ? CALL_OPERANDS : 1)) recordUnpaid(opcode, sp);
}
