/**
 * What is recorded of a transaction beside its result: value transfers as logs, and the accounts and slots that instructions
 * name. Where anything is recorded, a block of instructions that cannot be paid for is run up to the one that fails, in every frame.
 */
import { findAccount, listAccess } from './accounts.ts';
import { accountOfFrame } from './frames.ts';
import { recorded } from './machine.ts';
import { findSlot, listSlotAccess } from './slots.ts';
import { copyAddress } from './instructions/calls.ts';

/** Every transfer of value is a log of its frame. */
const TRANSFERS: u32 = 1 << 0;
const ACCESSES: u32 = 1 << 1;

const BALANCE: u32 = 0x31;
const EXTCODESIZE: u32 = 0x3b;
const EXTCODECOPY: u32 = 0x3c;
const EXTCODEHASH: u32 = 0x3f;
const SLOAD: u32 = 0x54;
const SSTORE: u32 = 0x55;
const CALL: u32 = 0xf1;
const CALLCODE: u32 = 0xf2;
const DELEGATECALL: u32 = 0xf4;
const STATICCALL: u32 = 0xfa;
const SELFDESTRUCT: u32 = 0xff;

const addressWord: usize = memory.data(32, 16);

@inline
export function isRecording(): bool {
  return recorded != 0;
}
@inline
export function recordsTransfers(): bool {
  return (recorded & TRANSFERS) != 0;
}
@inline
export function recordsAccesses(): bool {
  return (recorded & ACCESSES) != 0;
}

/** Records the account whose address is a stack word. Where the region is full, the instruction halts by itself. */
export function recordAddress(word: usize): void {
  copyAddress(addressWord, word);
  const account = findAccount(addressWord);
  if (account != 0) listAccess(account);
}

/** Records the running frame's slot whose key is a stack word. */
export function recordSlot(word: usize): void {
  const slot = findSlot(accountOfFrame(), word);
  if (slot != 0) listSlotAccess(slot);
}

/** Records what an instruction names that has its operands and not its gas. */
export function recordUnpaid(opcode: u32, sp: usize): void {
  if (opcode == SLOAD || opcode == SSTORE) recordSlot(sp);
  else if (
    opcode == BALANCE || opcode == EXTCODESIZE || opcode == EXTCODECOPY || opcode == EXTCODEHASH || opcode == SELFDESTRUCT
  ) recordAddress(sp);
  else if (opcode == CALL || opcode == CALLCODE || opcode == DELEGATECALL || opcode == STATICCALL) recordAddress(sp - 32);
}
