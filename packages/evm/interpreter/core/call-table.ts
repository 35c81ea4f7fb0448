/** Runs calls without value, gas price and access list one after another, each on the same state. The changes of a call are undone at its end. */
import { findAccount, isKnown } from './accounts.ts';
import { copyBytes } from './bytes.ts';
import { messageGasLeft, messageOutput } from './frames.ts';
import { CALLER, REQUEST_ADDRESS, TARGET } from './generated/exchange.ts';
import {
  ARENA, CALL_DATA, CALL_DATA_SIZE, CALL_FROM, CALL_GAS, CALL_OUTPUT_SIZE, CALL_OUTPUTS, CALL_OUTPUTS_END, CALL_SIZE, CALL_TABLE, CALL_TO,
} from './generated/layout.ts';
import { DONE, NEEDS_ACCOUNT, NOT_BEGUN, SLICE_USED, SUCCESS } from './generated/status.ts';
import { returnSize, status } from './machine.ts';
import { runPlainCall } from './messages.ts';
import { abandon } from './transactions.ts';
import { copyWord } from './words/word.ts';

/** Gas subtracted from the slice for the work of beginning and undoing a call. The call's own gas is subtracted separately. */
const CALL_COST: i64 = 300;

/** Stop reason of the last `runCalls`. DONE means that all calls ran, that the next call failed, or that there is no room for its output. */
export let whyStopped: i32 = DONE;
/** Total remaining gas of the successful calls. */
export let callsGasLeft: f64 = 0;
/** Address of the next output. */
let outputsEnd: usize = CALL_OUTPUTS;

/**
 * Runs the table's calls from `first` up to, not including, `end`. Stops at a call that does not succeed or needs data, or when the slice is used up.
 * The outputs of the successful calls are concatenated.
 * @returns the index of the call at which the run stopped; that call is completely undone
 */
export function runCalls(first: u32, end: u32, slice: f64): u32 {
  if (first == 0) outputsEnd = CALL_OUTPUTS;
  whyStopped = DONE;
  callsGasLeft = 0;
  let left = <i64>slice;
  // Calls of a batch are often alike. If less of the slice is left than the previous call cost, the next call does not begin.
  let expected: i64 = 0;
  for (let place = first; place < end; place++) {
    if (left < expected) {
      whyStopped = SLICE_USED;
      return place;
    }
    const entry = CALL_TABLE + <usize>place * CALL_SIZE;
    const given = load<f64>(entry, CALL_GAS);
    const isAnswered = runCall(entry, given, <f64>left) && keepOutput(entry);
    while (!abandon());
    if (!isAnswered) return place;
    callsGasLeft += <f64>messageGasLeft;
    expected = <i64>given - messageGasLeft + CALL_COST;
    left -= expected;
  }
  return end;
}

/** Runs a call. @returns whether the call succeeded */
function runCall(entry: usize, given: f64, slice: f64): bool {
  readAddress(CALLER, load<u32>(entry, CALL_FROM));
  readAddress(TARGET, load<u32>(entry, CALL_TO));
  const size = load<u32>(entry, CALL_DATA_SIZE);
  copyBytes(ARENA, load<u32>(entry, CALL_DATA), size);
  whyStopped = runPlainCall(size, given, slice);
  if (whyStopped == NOT_BEGUN) askForSender();
  return whyStopped == DONE && status == SUCCESS;
}

function askForSender(): void {
  const sender = findAccount(CALLER);
  if (sender == 0 || isKnown(sender)) return;
  copyWord(REQUEST_ADDRESS, CALLER);
  whyStopped = NEEDS_ACCOUNT;
}

/**
 * Stores the output of a call.
 * @returns false when the region of outputs has no room for the output
 */
function keepOutput(entry: usize): bool {
  if (outputsEnd + <usize>returnSize > CALL_OUTPUTS_END) return false;
  copyBytes(outputsEnd, messageOutput, returnSize);
  store<u32>(entry, returnSize, CALL_OUTPUT_SIZE);
  outputsEnd += returnSize;
  return true;
}

/** Writes 20 big-endian bytes as a word. */
function readAddress(word: usize, bytes: u32): void {
  const from = <usize>bytes;
  store<u64>(word, bswap<u64>(load<u64>(from, 12)));
  store<u64>(word, bswap<u64>(load<u64>(from, 4)), 8);
  store<u64>(word, bswap<u32>(load<u32>(from)), 16);
  store<u64>(word, 0, 24);
}
