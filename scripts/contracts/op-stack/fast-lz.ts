/**
 * The OP Stack's measure of a transaction's size as a subroutine: its length in bytes after compression by FastLZ, level 1 (specs,
 * fjord/exec-engine). Constantinople. Variables, table and data have fixed places in memory.
 */

/** Names of memory words, in order. */
const VARIABLES = [
  ...['size', 'at', 'literalsFrom', 'last', 'total', 'triple', 'earlier'],
  ...['left', 'right', 'limit', 'length'],
];
const TABLE = 0x400;
const TABLE_BITS = 13;
/** Memory offset at which the data is expected. */
export const DATA: number = TABLE + (32 << TABLE_BITS);

const place = (name: string): number => 32 * VARIABLES.indexOf(name);
/** [] -> [value] */
const get = (name: string): string => `${place(name)} MLOAD`;
/** [value] -> [] */
const set = (name: string): string => `${place(name)} MSTORE`;

/** [index] -> [byte] */
const LOAD_BYTE = `${DATA} ADD MLOAD 248 SHR`;
/** [index] -> [three bytes, the first one highest] */
const LOAD_TRIPLE = `${DATA} ADD MLOAD 232 SHR`;
/** [triple] -> [place in the table]; the hash takes the bytes in reverse order */
const FIND_PLACE = `
  DUP1 0xff0000 AND 16 SHR SWAP1
  DUP1 0xff00 AND SWAP1
  0xff AND 16 SHL
  OR OR
  2654435769 MUL 0xffffffff AND ${32 - TABLE_BITS} SHR 5 SHL ${TABLE} ADD
`;
/** [count] -> []; a run has one more byte before every 32 literals */
const ADD_LITERALS = `
  DUP1 5 SHR 33 MUL SWAP1
  31 AND DUP1 ISZERO ISZERO ADD ADD
  ${get('size')} ADD ${set('size')}
`;
/** Records the position of the three bytes here, and advances by one. */
const NOTE_AND_STEP = `
  ${get('at')} DUP1 ${LOAD_TRIPLE} ${FIND_PLACE} MSTORE
  ${get('at')} 1 ADD ${set('at')}
`;

/** `measureFastLz`: [return, length of the data] -> [size] */
export const MEASURE_FAST_LZ: string = `
  measureFastLz:                              ; return length
    DUP1 ${set('total')}
    0 ${set('size')}
    0 ${set('literalsFrom')}
    2 ${set('at')}
    13 DUP2 SUB 13 DUP3 GT MUL ${set('last')} ; 13 less, or 0
    POP                                       ; return
  nextMatch:
    ${get('last')} ${get('at')} LT ISZERO @noMatch JUMPI
  nextByte:
    ${get('at')} ${LOAD_TRIPLE} DUP1 ${set('triple')}
    ${FIND_PLACE}
    DUP1 MLOAD ${set('earlier')}
    ${get('at')} SWAP1 MSTORE
    ${get('last')} ${get('at')} LT ISZERO @noMatch JUMPI
    ${get('at')} 1 ADD ${set('at')}
    ${get('earlier')} 1 ADD ${get('at')} SUB  ; return distance
    0x1fff LT @nextByte JUMPI
    ${get('triple')} ${get('earlier')} ${LOAD_TRIPLE} EQ ISZERO @nextByte JUMPI
    ${get('last')} ${get('at')} LT ISZERO @noMatch JUMPI

    1 ${get('at')} SUB ${set('at')}
    ${get('literalsFrom')} ${get('at')} SUB ${ADD_LITERALS}
    ${get('earlier')} 3 ADD ${set('left')}
    ${get('at')} 3 ADD ${set('right')}
    ${get('right')} ${get('last')} 9 ADD SUB ${set('limit')}
    0 ${set('length')}
  compare:
    ${get('limit')} ${get('length')} LT ISZERO @compared JUMPI
    ${get('left')} ${get('length')} ADD ${LOAD_BYTE}
    ${get('right')} ${get('length')} ADD ${LOAD_BYTE}
    EQ ${get('limit')} MUL ${set('limit')}    ; the byte that differs counts, and is the last
    ${get('length')} 1 ADD ${set('length')}
    @compare JUMP
  compared:
    1 ${get('length')} SUB                    ; return length
    262 DUP2 DIV 3 MUL                        ; return length whole
    262 DUP3 MOD 5 LT 2 ADD ADD               ; return length bytes
    ${get('size')} ADD ${set('size')} POP     ; return
    ${get('at')} ${get('length')} ADD ${set('at')}
    ${NOTE_AND_STEP}
    ${NOTE_AND_STEP}
    ${get('at')} ${set('literalsFrom')}
    @nextMatch JUMP
  noMatch:
    ${get('literalsFrom')} ${get('total')} SUB ${ADD_LITERALS}
    ${get('size')} SWAP1 JUMP
`;
