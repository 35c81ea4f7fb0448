/** Encodes and hashes the header of a block object in Ethereum's own form. */
import { keccak256 } from '../../evm/interpreter/core/keccak';
import { BLOCK_HASH, HASH_TEXT, SCRATCH } from './block';
import { closeList, openList, out, writeAt, writeBytes, writeInteger } from './rlp';
import { BLOCK, decodeMember, isNothing, isSame, kindOf, LIST, lengthOf, Member, NULL, OF_BLOCKS, STRING, startOf } from './text';

/**
 * Header fields: their number, then three bytes per field (the member, whether it is an integer, whether it may be absent). The caller of the module
 * writes the table of header fields.
 */
export const HEADER: usize = memory.data(1 + 3 * 32);
const FIELD_SIZE: usize = 3;
const HASH_LENGTH: usize = 32;
const EMPTY_LIST: usize = 2;

/**
 * Whether the header of the block object hashes to the hash at `BLOCK_HASH`, and the block has no uncles. The encoded header is written to `target`,
 * which needs as many bytes as the text has.
 */
export function isHeader(target: usize): bool {
  if (kindOf(BLOCK, Member.hash) != STRING || lengthOf(BLOCK, Member.hash) != HASH_TEXT) return false;
  if (!isSame(startOf(BLOCK, Member.hash), BLOCK_HASH, HASH_TEXT)) return false;
  if (!isText(Member.size) || !isText(Member.totalDifficulty)) return false;
  const withdrawals = kindOf(BLOCK, Member.withdrawals);
  if (withdrawals != LIST && !isNothing(withdrawals)) return false;
  if (hasOtherItems()) return false;
  if (kindOf(BLOCK, Member.uncles) != LIST || lengthOf(BLOCK, Member.uncles) != EMPTY_LIST) return false;
  writeAt(target);
  if (!writeFields()) return false;
  keccak256(target, <u32>(out - target), SCRATCH + HASH_LENGTH);
  return decodeMember(BLOCK, Member.hash, HASH_LENGTH, SCRATCH) && isSame(SCRATCH, SCRATCH + HASH_LENGTH, HASH_LENGTH);
}

/**
 * Whether unexpected members of the block are lists or objects. A list or object may repeat member names, and only the parser of the whole block
 * detects repeated names.
 */
function hasOtherItems(): bool {
  for (let member: u32 = 0; member < OF_BLOCKS; member++) {
    if (member == Member.transactions || member == Member.uncles || member == Member.withdrawals) continue;
    const kind = kindOf(BLOCK, member);
    if (kind == LIST || kind > NULL) return true;
  }
  return false;
}

@inline
function isText(member: u32): bool {
  const kind = kindOf(BLOCK, member);
  return kind == STRING || isNothing(kind);
}

/** Writes the present fields as a list. @returns false if a field follows an absent field */
function writeFields(): bool {
  const list = openList();
  const end = HEADER + 1 + <usize>load<u8>(HEADER) * FIELD_SIZE;
  let isOver = false;
  for (let field = HEADER + 1; field < end; field += FIELD_SIZE) {
    const member = <u32>load<u8>(field);
    const kind = kindOf(BLOCK, member);
    if (isNothing(kind)) {
      if (load<u8>(field, 2) == 0) return false;
      isOver = true;
      continue;
    }
    if (isOver || kind != STRING) return false;
    const text = startOf(BLOCK, member);
    const length = lengthOf(BLOCK, member);
    if (!(load<u8>(field, 1) != 0 ? writeInteger(text, length) : writeBytes(text, length))) return false;
  }
  closeList(list);
  return true;
}
