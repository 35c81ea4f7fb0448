/** State of the running transaction and the running frame. A module instance runs one message at a time. */
import { ARENA, FRAME_SIZE, FRAMES, JOURNAL, LOGS, STACKS } from './generated/layout.ts';

/**
 * Number of the running transaction. Accounts and slots that are marked with this number are warm, touched, created or destroyed in this transaction.
 */
export let epoch: u32 = 1;
/** Number of frames below the running frame; -1 before the first frame. */
export let depth: i32 = -1;
/** Refund counter of SSTORE and SELFDESTRUCT. */
export let refund: i64 = 0;
export let journalEnd: usize = JOURNAL;
export let logsEnd: usize = LOGS;
export let logCount: u32 = 0;

/**
 * Gas of the running frame beyond the current slice. The remaining gas of the frame is the gas counter of the interpreter plus `reserve`. Gas moves
 * to the counter when a slice ends, or when one instruction costs more than the rest of the slice.
 */
export let reserve: i64 = 0;
/** Whether code read its remaining gas in a way that may affect the execution. */
export let isGasObserved: bool = false;

/** Work that must be done before the next instruction (see `pending-work`). */
export const NO_WORK: u32 = 0;
/** The running frame's initialisation code is being decoded. */
export const INIT_CODE: u32 = 1;
/** The running frame has failed, and its changes are being undone. */
export const UNDOING: u32 = 2;
export let work: u32 = NO_WORK;

/** The interpreter's registers while it does not run: instruction, top of stack, gas. */
export let ip: usize = 0;
export let sp: usize = STACKS;
export let gas: i64 = 0;

/** Properties of the running frame, cached here because instructions read them constantly. */
export let frame: usize = FRAMES;
export let stackBase: usize = STACKS;
export let memoryBase: usize = ARENA;
/** Size in bytes, a multiple of 32. */
export let memorySize: u32 = 0;
/** Highest end address that frame memory has ever reached. The pages from ARENA to this address occupy process memory. */
export let arenaPeak: usize = ARENA;
export let input: usize = ARENA;
export let inputSize: u32 = 0;
export let code: usize = 0;
export let isStatic: bool = false;

/** Active recording modes, as bits `RECORD_*`. */
export let recorded: u32 = 0;

export let returnSize: u32 = 0;
/** Largest return data so far, bytes. */
export let returnPeak: u32 = 0;
/** Status of the last ended frame, and details of the status (stack heights, the opcode). */
export let status: i32 = 0;
export let detailA: u32 = 0;
export let detailB: u32 = 0;
/** End of the region with the message's input: the first frame's memory begins after it. */
export let inputEnd: usize = ARENA;
/** Memory limit of all frames of a message together, bytes. */
export let memoryLimit: u32 = 256 << 20;
/** Whether the transaction is a call by the protocol itself. */
export let isSystemCall: bool = false;

export function setRegisters(newIp: usize, newSp: usize, newGas: i64): void {
  ip = newIp;
  sp = newSp;
  gas = newGas;
}
export function setEpoch(value: u32): void { epoch = value; }
export function setDepth(value: i32): void { depth = value; frame = FRAMES + <usize>value * FRAME_SIZE; }
export function setRefund(value: i64): void { refund = value; }
export function setJournalEnd(value: usize): void { journalEnd = value; }
export function setLogs(end: usize, count: u32): void { logsEnd = end; logCount = count; }
export function setReserve(value: i64): void { reserve = value; }
export function setGasObserved(value: bool): void { isGasObserved = value; }
export function setMemory(base: usize, size: u32): void { memoryBase = base; memorySize = size; }
export function setMemorySize(size: u32): void {
  memorySize = size;
  if (memoryBase + size > arenaPeak) arenaPeak = memoryBase + size;
}
export function setStackBase(value: usize): void { stackBase = value; }
export function setInput(pointer: usize, size: u32): void { input = pointer; inputSize = size; }
export function setInputEnd(value: usize): void {
  inputEnd = value;
  if (value > arenaPeak) arenaPeak = value;
}
export function setCode(value: usize): void { code = value; }
export function setStatic(value: bool): void { isStatic = value; }
export function setReturnSize(value: u32): void { returnSize = value; }
export function noteReturnPeak(size: u32): void { if (size > returnPeak) returnPeak = size; }
export function setStatus(value: i32): void { status = value; }
export function setDetails(a: u32, b: u32): void { detailA = a; detailB = b; }
export function setRecorded(value: u32): void { recorded = value; }
export function setWork(value: u32): void { work = value; }
export function setMemoryLimit(bytes: u32): void { memoryLimit = bytes; }
export function setSystemCall(value: bool): void { isSystemCall = value; }

/** Ends an instruction's body with a halt. */
export function halt(reason: i32): i64 {
  status = reason;
  return -1;
}
