/** CREATE, CREATE2, and the first message of a transaction that creates a contract. */
import {
  balanceOf, create, hasCode, hasOldStorage, isEmpty, markCreated, nonceOf, setCodeHash, setNonce, touch, warm,
} from '../accounts.ts';
import { addCode, BYTES, CODE_SIZE, findCode, initializeCode, INSTRUCTIONS, keepCode } from '../codes.ts';
import { beginDecoding, decodedEnd, decodedSize, decodeOn } from '../decode.ts';
import { accountOfFrame, CREATION, endFrame, failCreation, isTooDeep, popFrame, pushFrame, setContext, setOutput } from '../frames.ts';
import { charge } from '../gas.ts';
import { isJournalFull } from '../journal.ts';
import { keccak256 } from '../keccak.ts';
import { ARENA } from '../generated/layout.ts';
import { addTransfer, hasRoomForTransfer, logsTransfers, skipTransfer } from '../logs.ts';
import {
  code, gas as gasRegister, halt, INIT_CODE, isStatic, memoryBase, memoryLimit, reserve, setCode, setDetails, setGasObserved, setInput, setMemory, setRegisters,
  setReserve, setReturnSize, setWork, sp as spRegister,
} from '../machine.ts';
import { endOf, growUpTo, MAX_REACH, wordsOf } from '../memory.ts';
import { BODY_SWITCHES, prepay, requireAccount, setNeed, WORK_LEFT } from '../needs.ts';
import { noteAccess } from '../recording.ts';
import {
  codeByteGas, codeLimit, codeWordGas, EIP150, EIP158, EIP2, EIP3541, EIP7610, EIP8037, has, initCodeLimit, initCodeWordGas, stateByteGas,
} from '../rules.ts';
import { chargeAccount, spillOf, takeState } from '../state-gas.ts';
import { ADDRESS_COLLISION, CODE_STORE_OUT_OF_GAS, INVALID_CODE, MAX_CODE_SIZE, MAX_INIT_CODE_SIZE, MEMORY_LIMIT, WRITE_PROTECTION } from '../generated/status.ts';
import { isLess } from '../words/compare.ts';
import { copyWord, isZero, loadBigEndian, setU64, storeBigEndian } from '../words/word.ts';
import { pay } from './calls.ts';

const HASH_WORD_GAS: i64 = 6;

const newAddress: usize = memory.data(32, 16);
const ownAddress: usize = memory.data(32, 16);
const valueWord: usize = memory.data(32, 16);
const digest: usize = memory.data(32, 16);
const preimage: usize = memory.data(96, 16);

/** Computes the address keccak256(rlp([sender, nonce])), lower 20 bytes. */
export function addressByNonce(sender: usize, nonce: u64): usize {
  storeBigEndian(preimage + 40, sender);
  // The sender is a word at preimage + 40, so its 20 address bytes are at preimage + 52. The bytes before them are overwritten.
  let end = preimage + 72;
  if (nonce == 0) {
    store<u8>(end, 0x80);
    end++;
  } else if (nonce < 0x80) {
    store<u8>(end, <u8>nonce);
    end++;
  } else {
    const bytes = <usize>((71 - clz<u64>(nonce)) >> 3);
    store<u8>(end, 0x80 + <u8>bytes);
    end++;
    for (let i: usize = 0; i < bytes; i++) store<u8>(end + i, <u8>(nonce >> (<u64>(bytes - 1 - i) << 3)));
    end += bytes;
  }
  store<u8>(preimage + 51, 0x94);
  store<u8>(preimage + 50, 0xc0 + <u8>(end - (preimage + 51)));
  keccak256(preimage + 50, <u32>(end - (preimage + 50)), digest);
  return takeAddress();
}

/** Computes the address keccak256(0xff, sender, salt, keccak256(code)), lower 20 bytes (EIP-1014). */
function addressBySalt(sender: usize, salt: usize, code: usize, size: u32): usize {
  keccak256(code, size, digest);
  // 0xff (1), sender (20), salt (32), hash (32): 85 bytes from preimage.
  memory.copy(preimage + 53, digest, 32);
  storeBigEndian(digest, sender);
  memory.copy(preimage + 1, digest + 12, 20);
  store<u8>(preimage, 0xff);
  storeBigEndian(preimage + 21, salt);
  keccak256(preimage, 85, digest);
  return takeAddress();
}

function takeAddress(): usize {
  loadBigEndian(newAddress, digest);
  store<u32>(newAddress, 0, 20);
  store<u64>(newAddress, 0, 24);
  return newAddress;
}

/** Body of CREATE and CREATE2. Stack, from the top: value, offset and size of the initialisation code, and the salt of CREATE2. */
export function createBody(isSalted: bool, ip: usize, sp: usize, gas: i64): i64 {
  const resultAt = isSalted ? sp - 96 : sp - 64;
  if (isStatic) return halt(WRITE_PROTECTION);
  if (isJournalFull() || (logsTransfers() && !hasRoomForTransfer())) return halt(MEMORY_LIMIT);
  const before = gas;
  const size = load<u64>(sp - 64);
  const end = endOf(sp - 32, sp - 64);
  // geth checks the size before it charges for memory.
  if (end <= MAX_REACH && size > <u64>initCodeLimit) {
    setDetails(<u32>size, <u32>(size >> 32));
    return halt(MAX_INIT_CODE_SIZE);
  }
  gas = growUpTo(end, 0, gas);
  if (gas < 0) return gas;
  const self = accountOfFrame();
  const data = size == 0 ? memoryBase : memoryBase + <usize>load<u64>(sp - 32);
  const nonce = nonceOf(self);
  copyWord(valueWord, sp);
  const isRefused = isTooDeep() || (!isZero(valueWord) && isLess(balanceOf(self), valueWord)) || nonce == u64.MAX_VALUE;
  let created: usize = 0;
  if (!isRefused) {
    created = requireAccount(isSalted ? addressBySalt(self, sp - 96, data, <u32>size) : addressByNonce(self, nonce));
    // The instruction restarts once the account is loaded. The memory growth remains, and the restarted instruction does not pay for it again.
    if (created == 0) return prepay(before - gas);
  }
  gas = charge(gas, initCodeWordGas * wordsOf(size) + (isSalted ? HASH_WORD_GAS * wordsOf(size) : 0));
  if (gas < 0) return gas;
  if (has(EIP8037) && !isRefused) {
    noteAccess(created);
    gas = chargeAccount(isEmpty(created), gas);
    if (gas < 0) return gas;
  }
  let total = gas + reserve;
  const handed = has(EIP150) ? total - (total >> 6) : total;
  total -= handed;
  if (isRefused) {
    if (logsTransfers() && !isZero(valueWord)) skipTransfer();
    return refuse(ip, resultAt, total + handed, gas);
  }
  setNonce(self, nonce + 1);
  warm(created);
  copyWord(ownAddress, self);
  pushFrame(CREATION, ip + 16, resultAt, total, handed, handed, true, gas);
  return beginCreation(self, created, data, <u32>size);
}

function refuse(ip: usize, resultAt: usize, total: i64, slice: i64): i64 {
  setU64(resultAt, 0);
  setReturnSize(0);
  const counted = total < slice ? total : slice;
  setReserve(total - counted);
  setRegisters(ip + 16, resultAt, counted);
  return BODY_SWITCHES;
}

/**
 * Begins the execution of initialisation code in the frame that was just pushed. `valueWord` and `ownAddress` contain the value and the
 * creator's address.
 */
function beginCreation(creator: usize, created: usize, data: usize, size: u32): i64 {
  setContext(created, ownAddress, valueWord);
  setOutput(0, 0);
  setReturnSize(0);
  setInput(data, 0);
  if (logsTransfers() && !isZero(valueWord)) addTransfer(creator, created, valueWord);
  if (nonceOf(created) != 0 || hasCode(created) || (has(EIP7610) && hasOldStorage(created))) {
    popFrame(ADDRESS_COLLISION, 0, 0, 0);
    return BODY_SWITCHES;
  }
  create(created);
  markCreated(created);
  touch(created);
  if (has(EIP158)) setNonce(created, 1);
  pay(creator, created, valueWord);
  return runInitCode(data, size);
}

/** Runs initialisation code. The code is decoded into the arena, before the frame's memory, and discarded with that memory. */
function runInitCode(data: usize, size: u32): i64 {
  const entry = memoryBase;
  const bytes = entry + CODE_SIZE;
  const room = CODE_SIZE + size + 64;
  if (<u64>(entry - ARENA) + room + decodedSize(size) + 64 > <u64>memoryLimit) {
    return endFrame(MEMORY_LIMIT, 0, 0, 0);
  }
  memory.copy(bytes, data, size);
  memory.fill(bytes + size, 0, 64);
  initializeCode(entry, bytes, size);
  setCode(entry);
  beginDecoding(entry, (bytes + size + 64 + 15) & ~15);
  if (decodeInitCode()) return BODY_SWITCHES;
  setWork(INIT_CODE);
  return setNeed(WORK_LEFT);
}

/** Continues decoding the running frame's code. @returns whether the code may run */
export function decodeInitCode(): bool {
  if (!decodeOn()) return false;
  setMemory((decodedEnd + 15) & ~15, 0);
  setRegisters(<usize>load<u32>(code, INSTRUCTIONS), spRegister, gasRegister);
  return true;
}

/**
 * Begins a creation as the first message of a transaction. The creator's nonce is already raised, and the gas is already charged.
 * @returns false with the reason in `whyNot` when data is missing
 */
export function beginFirstCreation(creator: usize, nonce: u64, data: usize, size: u32, given: i64, slice: i64, stack: usize, value: usize): bool {
  const created = requireAccount(addressByNonce(creator, nonce));
  if (created == 0) return false;
  noteAccess(created);
  warm(created);
  copyWord(ownAddress, creator);
  copyWord(valueWord, value);
  pushFrame(CREATION, 0, stack, 0, given, given, false, slice);
  beginCreation(creator, created, data, size);
  return true;
}

/**
 * Stores the code that a creation returned (EIP-2, 170, 3541, 8037).
 * @returns remaining gas; negative: the creation fails
 */
export function finishCreation(created: usize, output: usize, size: u32, left: i64): i64 {
  if (has(EIP3541) && size > 0 && load<u8>(output) == 0xef) return failCreation(INVALID_CODE);
  const isTooLong = <i64>size > codeLimit;
  // From EIP-8037 on, no state gas is charged for code that is too long.
  if (has(EIP8037) && isTooLong) return refuseCode(size);
  const stateCost = <i64>size * stateByteGas;
  const spill = spillOf(stateCost);
  const cost = <i64>size * codeByteGas + wordsOf(size) * codeWordGas + spill;
  if (cost > left) {
    if (has(EIP2)) return failCreation(CODE_STORE_OUT_OF_GAS);
    setGasObserved(true);
    return left;
  }
  takeState(stateCost, spill);
  if (isTooLong) return refuseCode(size);
  if (size == 0) return left;
  if (isJournalFull()) return failCreation(MEMORY_LIMIT);
  keccak256(output, size, digest);
  loadBigEndian(newAddress, digest);
  let code = findCode(newAddress);
  if (code == 0) {
    code = addCode(newAddress, size);
    if (code == 0) return failCreation(MEMORY_LIMIT);
    memory.copy(load<u32>(code, BYTES), output, size);
  }
  keepCode(code);
  setCodeHash(created, newAddress, code);
  return left - cost;
}

function refuseCode(size: u32): i64 {
  setDetails(size, 0);
  return failCreation(MAX_CODE_SIZE);
}
