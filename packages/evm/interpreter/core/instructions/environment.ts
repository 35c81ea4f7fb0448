/**
 * Instructions that read the message, the transaction and the block. The parameter `sp` is the address of the stack word that receives the result.
 */
import { balanceOf } from '../accounts.ts';
import {
  BLOB_COUNT, BLOB_HASHES, BLOCK_BASE_FEE, BLOCK_BENEFICIARY, BLOCK_BLOB_BASE_FEE, BLOCK_GAS_LIMIT, BLOCK_HASHES, BLOCK_NUMBER,
  BLOCK_RANDOM, BLOCK_SLOT, BLOCK_TIMESTAMP, CHAIN_ID, GAS_PRICE, ORIGIN,
} from '../generated/exchange.ts';
import { accountOfFrame, callerOfFrame, valueOfFrame } from '../frames.ts';
import { input, inputSize, memorySize, returnSize } from '../machine.ts';
import { needBlockHash } from '../needs.ts';
import { copyWord, fitsU64, loadBigEndian, setU64 } from '../words/word.ts';

@inline
export function address(sp: usize): void { copyWord(sp, accountOfFrame()); }
@inline
export function origin(sp: usize): void { copyWord(sp, ORIGIN); }
@inline
export function caller(sp: usize): void { copyWord(sp, callerOfFrame()); }
@inline
export function callvalue(sp: usize): void { copyWord(sp, valueOfFrame()); }
@inline
export function calldatasize(sp: usize): void { setU64(sp, inputSize); }
@inline
export function gasprice(sp: usize): void { copyWord(sp, GAS_PRICE); }
@inline
export function returndatasize(sp: usize): void { setU64(sp, returnSize); }
@inline
export function coinbase(sp: usize): void { copyWord(sp, BLOCK_BENEFICIARY); }
@inline
export function timestamp(sp: usize): void { copyWord(sp, BLOCK_TIMESTAMP); }
@inline
export function blockNumber(sp: usize): void { copyWord(sp, BLOCK_NUMBER); }
@inline
export function prevrandao(sp: usize): void { copyWord(sp, BLOCK_RANDOM); }
@inline
export function gaslimit(sp: usize): void { copyWord(sp, BLOCK_GAS_LIMIT); }
@inline
export function chainid(sp: usize): void { copyWord(sp, CHAIN_ID); }
@inline
export function selfbalance(sp: usize): void { copyWord(sp, balanceOf(accountOfFrame())); }
@inline
export function basefee(sp: usize): void { copyWord(sp, BLOCK_BASE_FEE); }
@inline
export function blobbasefee(sp: usize): void { copyWord(sp, BLOCK_BLOB_BASE_FEE); }
@inline
export function slotnum(sp: usize): void { copyWord(sp, BLOCK_SLOT); }
@inline
export function msize(sp: usize): void { setU64(sp, memorySize); }

const tail: usize = memory.data(32, 16);

/** Loads a word of the input; bytes beyond its end are zero. */
@inline
export function calldataload(sp: usize): void {
  if (fitsU64(sp) && load<u64>(sp) + 32 <= <u64>inputSize && load<u64>(sp) < 0x100000000) loadBigEndian(sp, input + <usize>load<u64>(sp));
  else loadTail(sp);
}

function loadTail(sp: usize): void {
  const from = load<u64>(sp);
  if (!fitsU64(sp) || from >= <u64>inputSize) {
    setU64(sp, 0);
    return;
  }
  memory.fill(tail, 0, 32);
  memory.copy(tail, input + <usize>from, min<u32>(inputSize - <u32>from, 32));
  loadBigEndian(sp, tail);
}

/** EIP-4844: hash of the transaction's blob with this index; zero if the transaction has no such blob. */
export function blobhash(sp: usize): void {
  if (fitsU64(sp) && load<u64>(sp) < <u64>load<u32>(BLOB_COUNT)) loadBigEndian(sp, BLOB_HASHES + (<usize>load<u64>(sp) << 5));
  else setU64(sp, 0);
}

/** Returns the hash of one of the last 256 blocks. Each hash is requested from the host once. */
export function blockhash(sp: usize, gas: i64): i64 {
  const current = load<u64>(BLOCK_NUMBER);
  const number = load<u64>(sp);
  if (!fitsU64(sp) || number >= current || current - number > 256) {
    setU64(sp, 0);
    return gas;
  }
  const place = BLOCK_HASHES + (<usize>number & 255) * 40;
  if (load<u64>(place) != number + 1) return needBlockHash(number);
  copyWord(sp, place + 8);
  return gas;
}
