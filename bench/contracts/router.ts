import { encodeErrorString, selectorOf } from '../../scripts/contracts/abi.ts';
import { BUBBLE_REVERT, storeBytes } from '../../scripts/contracts/macros.ts';
import {
  allocateArray,
  CHECKED_ADD,
  CHECKED_DIV,
  CHECKED_MUL,
  calldataElement,
  compileContract,
  DECODE_ADDRESS,
  DECODE_UINT_ARRAY,
  decodeArguments,
  ENCODE_ARRAY,
  element,
  FILL_ZEROS,
  mask,
  requireTrue,
} from './solidity.ts';

const NO_LIQUIDITY: Uint8Array = encodeErrorString('liq');

/** return end start -> first second time; decodes them from memory */
const DECODE_RESERVES = `
  decodeReserves: PUSH0 DUP1 PUSH0 0x60 DUP5 DUP7 SUB SLT ISZERO ${requireTrue('decodeReservesLong')}
  @decodedFirst DUP5 @loadUint112 JUMP
  decodedFirst: SWAP3 POP @decodedSecond 0x20 DUP6 ADD @loadUint112 JUMP
  decodedSecond: SWAP2 POP
  0x40 DUP5 ADD MLOAD 0xffffffff DUP2 AND DUP2 EQ ${requireTrue('decodeReservesTime')}
  SWAP1 POP SWAP3 POP SWAP3 POP SWAP3 JUMP
  loadUint112: DUP1 MLOAD ${mask(112)} DUP2 AND DUP2 EQ ${requireTrue('loadUint112Clean')} SWAP2 SWAP1 POP JUMP`;

/** return amount reserveIn reserveOut -> amount out, less the fee of 0.3 % */
const GET_AMOUNT_OUT = `
  getAmountOut: PUSH0
  DUP1 DUP5 GT DUP1 ISZERO @hasAmount JUMPI POP PUSH0 DUP4 GT
  hasAmount: DUP1 ISZERO @hasReserves JUMPI POP PUSH0 DUP3 GT
  hasReserves: @hasLiquidity JUMPI ${storeBytes(NO_LIQUIDITY)} ${NO_LIQUIDITY.length} 0 REVERT
  hasLiquidity:
  PUSH0 @withFee DUP6 997 @checkedMul JUMP
  withFee: SWAP1 POP                                            ; return amount in out _ fee
  DUP1 @scaled DUP6 1000 @checkedMul JUMP
  scaled: @denominator SWAP2 SWAP1 @checkedAdd JUMP
  denominator: @numerator DUP5 DUP4 @checkedMul JUMP
  numerator: @quotient SWAP2 SWAP1 @checkedDiv JUMP
  quotient: SWAP6 SWAP5 POP POP POP POP POP JUMP`;

/** [address] -> [first second time]; one STATICCALL of getReserves() at the address on the stack */
const ASK_RESERVES = `
  ${selectorOf('getReserves()')} 0x40 MLOAD DUP2 0xffffffff AND 0xe0 SHL DUP2 MSTORE 4 ADD
  0x60 0x40 MLOAD DUP1 DUP4 SUB DUP2 DUP7 GAS STATICCALL
  ISZERO DUP1 ISZERO @asked JUMPI ${BUBBLE_REVERT}
  asked: POP POP POP POP
  0x40 MLOAD RETURNDATASIZE 0x1f NOT 0x1f DUP3 ADD AND DUP3 ADD DUP1 0x40 MSTORE POP
  DUP2 ADD SWAP1 @reserves SWAP2 SWAP1 @decodeReserves JUMP
  reserves:`;

/** Runtime code that quotes along a path of pairs: it reads each pair's reserves, and each amount is the next pair's input. */
export const ROUTER_CODE: Uint8Array = compileContract(
  [
    {
      signature: 'getAmountsOut(uint256,address[])',
      body: `
        @returnAmounts ${decodeArguments('decodeUintArray', 'getAmountsOut')}    ; return amountIn pairs length
        @counted DUP2 1 @checkedAdd JUMP
        counted: ${allocateArray('amounts', FILL_ZEROS)}                         ; ... amounts
        DUP4 DUP2 PUSH0 ${element('firstAmount')} MSTORE
        PUSH0                                                                    ; ... amounts i
        nextPair: DUP3 DUP2 LT ISZERO @quoted JUMPI
        DUP4 DUP4 DUP3 ${calldataElement('pairInPath')} ADD
        @pair SWAP1 0x20 DUP2 ADD SWAP1 @decodeAddress JUMP
        pair: ${mask(160)} AND ${ASK_RESERVES} POP                               ; ... amounts i first second
        @amountOut DUP5 DUP5 ${element('inputAmount')} MLOAD
        ${mask(112)} DUP5 AND ${mask(112)} DUP5 AND @getAmountOut JUMP
        amountOut: DUP5 @outputIndex DUP6 1 @checkedAdd JUMP
        outputIndex: ${element('outputAmount')} MSTORE POP POP
        1 ADD @nextPair JUMP
        quoted: POP SWAP4 SWAP3 POP POP POP JUMP`,
    },
  ],
  [
    DECODE_ADDRESS,
    DECODE_UINT_ARRAY,
    DECODE_RESERVES,
    GET_AMOUNT_OUT,
    CHECKED_ADD,
    CHECKED_MUL,
    CHECKED_DIV,
    ENCODE_ARRAY,
    'returnAmounts: 0x40 MLOAD @returnFromFree SWAP2 SWAP1 @encodeArray JUMP',
  ],
);
