/**
 * Pieces of assembly in the shape that Solidity's compiler (0.8, optimised, Shanghai) emits, because an engine meets its free memory pointer,
 * decoders, checked arithmetic and jumps in real contracts. Stack comments read `before -> after` with the top last; subroutines find their return
 * address below their arguments.
 */
import { assemble } from '../../scripts/assembler.ts';
import { selectorOf } from '../../scripts/contracts/abi.ts';

const MAX_UINT64 = '0xffffffffffffffff';

/** [] -> [2^bits - 1] */
export function mask(bits: number): string {
  return `1 1 ${bits} SHL SUB`;
}

/** [] -> halt */
export const REVERT_EMPTY: string = 'PUSH0 DUP1 REVERT';

/** [condition] -> []; reverts with empty data when the condition is zero. */
export function requireTrue(label: string): string {
  return `@${label} JUMPI ${REVERT_EMPTY} ${label}:`;
}

/** [condition] -> []; panics when the condition is zero. */
function checkOrPanic(label: string, panic: Panic): string {
  return `@${label} JUMPI @${panic} JUMP ${label}:`;
}

/** [value] -> [value]; reverts when the value exceeds 2^64 - 1. */
function requireUint64(label: string): string {
  return `${MAX_UINT64} DUP2 GT ISZERO ${requireTrue(label)}`;
}

export type SolidityFunction = {
  readonly signature: string;
  /** Assembly that runs with the selector on the stack and ends the call. */
  readonly body: string;
};

/** Returns a contract's runtime code: its functions behind a dispatcher, and the subroutines that they jump to. */
export function compileContract(
  functions: readonly SolidityFunction[],
  subroutines: readonly string[],
): Uint8Array {
  const tests = functions.map(({ signature }, i) => `DUP1 ${selectorOf(signature)} EQ @function${i} JUMPI`);
  const bodies = functions.map(({ body }, i) => `function${i}: ${body}`);
  return assemble(`
    0x80 0x40 MSTORE
    CALLVALUE DUP1 ISZERO ${requireTrue('notPayable')} POP
    4 CALLDATASIZE LT @unknown JUMPI
    PUSH0 CALLDATALOAD 0xe0 SHR
    ${tests.join('\n')}
    unknown: ${REVERT_EMPTY}
    ${bodies.join('\n')}
    ${subroutines.join('\n')}
    ${PANICS}
    returnFromFree: 0x40 MLOAD DUP1 SWAP2 SUB SWAP1 RETURN    ; end of what was written from the free pointer on
  `);
}

/** [...] -> [... results of `decoder`]; `continueAt` is the label that execution continues at. */
export function decodeArguments(decoder: string, continueAt: string): string {
  return `@${continueAt} CALLDATASIZE 4 @${decoder} JUMP ${continueAt}:`;
}

/** [word] -> halt */
export const RETURN_WORD: string = '0x40 MLOAD SWAP1 DUP2 MSTORE 0x20 ADD @returnFromFree JUMP';

/** [key] -> [slot of the entry] of the mapping at slot 0 */
export const MAPPING_SLOT: string = 'PUSH0 SWAP1 DUP2 MSTORE 0x20 DUP2 SWAP1 MSTORE 0x40 SWAP1 SHA3';

const PANIC_CODES = {
  panicOverflow: 0x11,
  panicDivision: 0x12,
  panicIndex: 0x32,
  panicMemory: 0x41,
} as const;
type Panic = keyof typeof PANIC_CODES;

const PANICS: string = Object.entries(PANIC_CODES)
  .map(([name, code]) => `${name}: 0x4e487b71 0xe0 SHL PUSH0 MSTORE ${code} 4 MSTORE 0x24 PUSH0 REVERT`)
  .join('\n');

/** [array index] -> [address of the element] in an array in memory, behind a bounds check */
export function element(label: string): string {
  return `DUP2 MLOAD DUP2 LT ${checkOrPanic(label, 'panicIndex')} 0x20 MUL 0x20 ADD ADD`;
}

/** [length] -> [array]; allocates an array in memory whose elements `fill` writes: [array length] -> [array _] */
export function allocateArray(label: string, fill: string): string {
  return `
    ${MAX_UINT64} DUP2 GT ISZERO ${checkOrPanic(`${label}Fits`, 'panicMemory')}
    0x40 MLOAD SWAP1 DUP1 DUP3 MSTORE
    DUP1 5 SHL 0x20 ADD DUP3 ADD 0x40 MSTORE
    DUP1 ISZERO @${label}Filled JUMPI
    ${fill}
    ${label}Filled: POP`;
}

/** Fills elements of value types with zeros. */
export const FILL_ZEROS: string = 'DUP2 0x20 ADD SWAP1 5 SHL DUP1 CALLDATASIZE DUP4 CALLDATACOPY POP';

/** Fills elements of type `bytes` with the pointer to the empty value, 0x60. */
export function fillEmptyBytes(label: string): string {
  return `
    DUP2 0x20 ADD
    ${label}: 0x60 DUP2 MSTORE 0x20 ADD SWAP1 1 SWAP1 SUB SWAP1 DUP2 @${label} JUMPI
    POP`;
}

/** [calldata offset of the array, length, index] -> [calldata offset of the element] */
export function calldataElement(label: string): string {
  return `DUP2 DUP2 LT ${checkOrPanic(label, 'panicIndex')} SWAP1 POP 5 SHL`;
}

/** return end start -> word */
export const DECODE_UINT: string = `
  decodeUint: PUSH0 0x20 DUP3 DUP5 SUB SLT ISZERO ${requireTrue('decodeUintLong')}
  POP CALLDATALOAD SWAP2 SWAP1 POP JUMP`;

/** return end start -> address */
export const DECODE_ADDRESS: string = `
  decodeAddress: PUSH0 0x20 DUP3 DUP5 SUB SLT ISZERO ${requireTrue('decodeAddressLong')}
  DUP2 CALLDATALOAD ${mask(160)} DUP2 AND DUP2 EQ ${requireTrue('decodeAddressClean')}
  SWAP4 SWAP3 POP POP POP JUMP`;

/** return end start -> address word */
export const DECODE_ADDRESS_UINT: string = `
  decodeAddressUint: PUSH0 PUSH0 0x40 DUP4 DUP6 SUB SLT ISZERO ${requireTrue('decodeAddressUintLong')}
  DUP3 CALLDATALOAD ${mask(160)} DUP2 AND DUP2 EQ ${requireTrue('decodeAddressUintClean')}
  SWAP2 POP
  0x20 DUP4 ADD CALLDATALOAD SWAP1 POP
  SWAP3 POP SWAP3 SWAP1 POP JUMP`;

/** return end start -> (offset of the first element) length; decodes an array that is the only argument */
export const DECODE_ARRAY: string = `
  decodeArray: PUSH0 DUP1 0x20 DUP4 DUP6 SUB SLT ISZERO ${requireTrue('decodeArrayLong')}
  DUP3 CALLDATALOAD ${requireUint64('decodeArrayOffset')}
  DUP4 ADD DUP5 0x1f DUP3 ADD SLT ${requireTrue('decodeArrayInside')}
  DUP1 CALLDATALOAD ${requireUint64('decodeArrayLength')}
  DUP6 0x20 DUP3 5 SHL DUP5 ADD ADD GT ISZERO ${requireTrue('decodeArrayEnd')}
  SWAP2 POP 0x20 ADD SWAP2 POP
  SWAP3 POP SWAP3 SWAP1 POP JUMP`;

/** return end start -> word (offset of the first element) length; decodes a word and an array */
export const DECODE_UINT_ARRAY: string = `
  decodeUintArray: PUSH0 PUSH0 PUSH0 0x40 DUP5 DUP7 SUB SLT ISZERO ${requireTrue('decodeUintArrayLong')}
  DUP4 CALLDATALOAD SWAP3 POP
  0x20 DUP5 ADD CALLDATALOAD ${requireUint64('decodeUintArrayOffset')}
  DUP5 ADD DUP6 0x1f DUP3 ADD SLT ${requireTrue('decodeUintArrayInside')}
  DUP1 CALLDATALOAD ${requireUint64('decodeUintArrayLength')}
  DUP7 0x20 DUP3 5 SHL DUP5 ADD ADD GT ISZERO ${requireTrue('decodeUintArrayEnd')}
  SWAP2 POP 0x20 ADD SWAP2 POP
  SWAP3 POP SWAP3 POP SWAP3 JUMP`;

/** return base pointer -> offset; finds a dynamic tuple with two members, relative to `base` */
export const TAIL_OF_TUPLE: string = `
  tailOfTuple: PUSH0 DUP2 CALLDATALOAD 0x3e NOT DUP5 CALLDATASIZE SUB ADD DUP2 SLT ${requireTrue('tailOfTupleInside')}
  DUP4 ADD SWAP4 SWAP3 POP POP POP JUMP`;

/** return base pointer -> offset length; finds a value of type `bytes`, relative to `base` */
export const TAIL_OF_BYTES: string = `
  tailOfBytes: PUSH0 DUP1 DUP3 CALLDATALOAD 0x1e NOT DUP6 CALLDATASIZE SUB ADD DUP2 SLT ${requireTrue('tailOfBytesInside')}
  DUP5 ADD DUP1 CALLDATALOAD ${requireUint64('tailOfBytesLength')}
  SWAP1 0x20 ADD DUP2 CALLDATASIZE SUB DUP2 SGT ISZERO ${requireTrue('tailOfBytesEnd')}
  SWAP6 SWAP1 SWAP5 POP SWAP3 POP POP POP JUMP`;

/** return offset length memory -> end; copies calldata into memory and writes a zero word behind it */
export const PACK_CALLDATA: string = `
  packCalldata: DUP2 DUP4 DUP3 CALLDATACOPY ADD PUSH0 DUP2 MSTORE SWAP2 SWAP1 POP JUMP`;

/** return x y -> x + y */
export const CHECKED_ADD: string = `
  checkedAdd: DUP1 DUP3 ADD DUP1 DUP3 GT ISZERO ${checkOrPanic('checkedAddFits', 'panicOverflow')}
  SWAP3 SWAP2 POP POP JUMP`;

/** return x y -> x * y */
export const CHECKED_MUL: string = `
  checkedMul: DUP1 DUP3 MUL DUP2 ISZERO DUP3 DUP3 DIV DUP5 EQ OR ${checkOrPanic('checkedMulFits', 'panicOverflow')}
  SWAP3 SWAP2 POP POP JUMP`;

/** return y x -> x / y */
export const CHECKED_DIV: string = `
  checkedDiv: PUSH0 DUP3 ${checkOrPanic('checkedDivNonZero', 'panicDivision')} POP DIV SWAP1 JUMP`;

/** return array head -> end; writes head, length and elements of an array of words */
export const ENCODE_ARRAY: string = `
  encodeArray: 0x20 DUP1 DUP3 MSTORE DUP3 MLOAD
  DUP1 DUP4 0x20 ADD MSTORE SWAP1 POP
  0x40 DUP3 ADD DUP4 0x20 ADD PUSH0               ; return array head length to from i
  encodeArrayNext: DUP4 DUP2 LT ISZERO @encodeArrayEnd JUMPI
  DUP2 MLOAD DUP4 MSTORE
  SWAP2 0x20 ADD SWAP2 SWAP1 0x20 ADD SWAP1
  1 ADD @encodeArrayNext JUMP
  encodeArrayEnd: POP POP SWAP4 SWAP3 POP POP POP JUMP`;

/** return to bytes -> end; writes length and contents, padded to whole words */
export const ENCODE_BYTES: string = `
  encodeBytes: DUP1 MLOAD DUP1 DUP4 MSTORE PUSH0  ; return to bytes length i
  encodeBytesNext: DUP2 DUP2 LT ISZERO @encodeBytesEnd JUMPI
  DUP3 DUP2 ADD 0x20 ADD MLOAD DUP5 DUP3 ADD 0x20 ADD MSTORE
  0x20 ADD @encodeBytesNext JUMP
  encodeBytesEnd: POP PUSH0 DUP2 DUP5 ADD 0x20 ADD MSTORE
  0x1f ADD 0x1f NOT AND SWAP1 POP ADD 0x20 ADD SWAP1 JUMP`;
