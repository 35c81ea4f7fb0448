import {
  allocateArray,
  compileContract,
  DECODE_UINT,
  decodeArguments,
  element,
  FILL_ZEROS,
  RETURN_WORD,
} from './solidity.ts';

/** Number of slots that `sloads` may read. */
export const LOOP_SLOTS = 1_000;

const ARITHMETIC_SEED = '0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95';
/** Field prime of secp256k1. */
const ARITHMETIC_MODULUS = '0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f';

/** Stack effect of all bodies: [return n] -> the result, at `return` */
export type LoopName = 'sloads' | 'arithmetic' | 'sort' | 'copyWords' | 'hashPacked' | 'hashScratch';

const BODIES: Readonly<Record<LoopName, string>> = {
  /** Sums slots 0 to n - 1. */
  sloads: `
    PUSH0 DUP1                                                        ; return n sum i
    nextSlot: DUP3 DUP2 LT ISZERO @summed JUMPI
    PUSH0 DUP2 ${LOOP_SLOTS} DUP2 LT @slotInside JUMPI @panicIndex JUMP
    slotInside: ADD SLOAD SWAP1 SWAP2 ADD SWAP1
    1 ADD @nextSlot JUMP
    summed: POP SWAP2 SWAP1 POP JUMP`,
  /** Multiplies and divides at full width. */
  arithmetic: `
    ${ARITHMETIC_SEED} ${ARITHMETIC_MODULUS} PUSH0                    ; return n x p i
    nextTerm: DUP4 DUP2 LT ISZERO @computed JUMPI
    DUP2 DUP2 DUP5 ADD DUP5 MULMOD SWAP3 POP
    1 0xd1342543de82ef95 DUP5 MUL ADD SWAP3 POP
    3 DUP4 131 SHR ADD DUP4 DIV DUP4 XOR SWAP3 POP
    DUP2 DUP2 DUP5 ADDMOD SWAP3 POP
    1 ADD @nextTerm JUMP
    computed: POP POP SWAP2 SWAP1 POP JUMP`,
  /** Sorts n words in memory by insertion, each access behind its bounds check. */
  sort: `
    PUSH0 DUP2 ${allocateArray('words', FILL_ZEROS)}                  ; return n sum words
    12345 PUSH0                                                       ; ... words x i
    nextWord: DUP5 DUP2 LT ISZERO @filled JUMPI
    SWAP1 6364136223846793005 MUL 1442695040888963407 ADD SWAP1
    DUP2 0x40 SHR 0xffffffff AND DUP4 DUP3 ${element('fill')} MSTORE
    1 ADD @nextWord JUMP
    filled: POP POP 1                                                 ; ... words i
    nextKey: DUP4 DUP2 LT ISZERO @sorted JUMPI
    DUP2 DUP2 ${element('key')} MLOAD DUP2                            ; ... words i key j
    shift: PUSH0 DUP2 GT DUP1 ISZERO @compared JUMPI
    POP DUP2 DUP5 1 DUP4 SUB ${element('previous')} MLOAD GT
    compared: ISZERO @place JUMPI
    DUP4 1 DUP3 SUB ${element('from')} MLOAD DUP5 DUP3 ${element('to')} MSTORE
    1 SWAP1 SUB @shift JUMP
    place: DUP2 DUP5 DUP3 ${element('free')} MSTORE POP POP
    1 ADD @nextKey JUMP
    sorted: POP PUSH0                                                 ; ... words i
    nextSample: DUP4 DUP2 LT ISZERO @sampled JUMPI
    DUP2 DUP2 ${element('sample')} MLOAD DUP4 31 MUL ADD SWAP3 POP
    7 ADD @nextSample JUMP
    sampled: POP POP SWAP2 SWAP1 POP JUMP`,
  /** Copies 2 KiB from one place of memory to another n times, word by word. */
  copyWords: `
    PUSH0 0x1000 PUSH0                                                ; return n sum base k
    nextCopy: DUP4 DUP2 LT ISZERO @copiedAll JUMPI
    DUP3 DUP2 ADD 0x20 0x3f DUP4 AND MUL DUP4 ADD MSTORE PUSH0        ; ... k i
    copyWord: 0x800 DUP2 LT ISZERO @copiedWords JUMPI
    DUP1 DUP4 ADD MLOAD DUP2 0x800 DUP6 ADD ADD MSTORE
    0x20 ADD @copyWord JUMP
    copiedWords: POP 3000 DUP3 ADD MLOAD DUP4 ADD SWAP3 POP
    1 ADD @nextCopy JUMP
    copiedAll: POP POP SWAP2 SWAP1 POP JUMP`,
  /** Computes n hashes of 32 bytes, each in newly allocated memory. */
  hashPacked: `
    PUSH0 DUP1                                                        ; return n hash i
    nextPacked: DUP3 DUP2 LT ISZERO @hashedPacked JUMPI
    0x40 MLOAD 0x20 DUP2 ADD DUP3 DUP2 MSTORE 0x20 ADD                ; ... start end
    0x40 MLOAD 0x20 DUP2 DUP4 SUB SUB DUP2 MSTORE SWAP1 0x40 MSTORE
    DUP1 MLOAD SWAP1 0x20 ADD SHA3 SWAP1 POP SWAP2 POP
    1 ADD @nextPacked JUMP
    hashedPacked: POP SWAP2 SWAP1 POP JUMP`,
  /** Computes n hashes of 32 bytes in the scratch space and combines them by XOR. */
  hashScratch: `
    PUSH0 DUP1                                                        ; return n hash i
    nextScratch: DUP3 DUP2 LT ISZERO @hashedScratch JUMPI
    DUP1 PUSH0 MSTORE 0x20 PUSH0 SHA3 DUP3 XOR SWAP2 POP
    1 ADD @nextScratch JUMP
    hashedScratch: POP SWAP2 SWAP1 POP JUMP`,
};

/** Returns the signature of the function that runs the loop of this name. */
export function loopSignature(name: LoopName): string {
  return `${name}(uint256)`;
}

/** Runtime code of a contract with loops that each load one part of an engine. */
export const LOOPS_CODE: Uint8Array = compileContract(
  Object.entries(BODIES).map(([name, body]) => ({
    signature: `${name}(uint256)`,
    body: `@returnWord ${decodeArguments('decodeUint', name)} ${body}`,
  })),
  [DECODE_UINT, `returnWord: ${RETURN_WORD}`],
);
