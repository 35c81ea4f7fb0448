import { encodeErrorString, eventTopic, selectorOf } from '../../scripts/contracts/abi.ts';
import { storeBytes } from '../../scripts/contracts/macros.ts';
import {
  compileContract,
  DECODE_ADDRESS,
  DECODE_ADDRESS_UINT,
  decodeArguments,
  MAPPING_SLOT,
  mask,
  RETURN_WORD,
} from './solidity.ts';

const TRANSFER: string = eventTopic('Transfer(address,address,uint256)');
const INSUFFICIENT_BALANCE: string = selectorOf('InsufficientBalance(address,uint256,uint256)');
const ZERO_RECIPIENT: Uint8Array = encodeErrorString('zero');

/** Runtime code of the part of ERC-20 that the benches call: balances are the mapping at slot 0, the supply is slot 2. */
export const TOKEN_CODE: Uint8Array = compileContract(
  [
    { signature: 'totalSupply()', body: `2 SLOAD ${RETURN_WORD}` },
    {
      signature: 'balanceOf(address)',
      body: `
        @returnWord ${decodeArguments('decodeAddress', 'balanceOf')}
        ${mask(160)} AND ${MAPPING_SLOT} SLOAD SWAP1 JUMP`,
    },
    {
      signature: 'transfer(address,uint256)',
      body: `
        @returnBool ${decodeArguments('decodeAddressUint', 'transfer')}          ; return to amount
        ${mask(160)} DUP3 AND @recipientGiven JUMPI
        ${storeBytes(ZERO_RECIPIENT)} ${ZERO_RECIPIENT.length} 0 REVERT
        recipientGiven:
        CALLER ${MAPPING_SLOT} SLOAD                                             ; ... balance
        DUP2 DUP2 LT ISZERO @covered JUMPI
        ${INSUFFICIENT_BALANCE} 0xe0 SHL PUSH0 MSTORE CALLER 4 MSTORE
        0x24 MSTORE 0x44 MSTORE 0x64 PUSH0 REVERT
        covered:
        DUP2 SWAP1 SUB CALLER ${MAPPING_SLOT} SSTORE                             ; return to amount
        DUP2 ${mask(160)} AND ${MAPPING_SLOT} DUP1 SLOAD DUP3 ADD SWAP1 SSTORE
        DUP2 ${mask(160)} AND CALLER ${TRANSFER} DUP4
        0x40 MLOAD SWAP1 DUP2 MSTORE 0x20 ADD 0x40 MLOAD DUP1 SWAP2 SUB SWAP1 LOG3
        POP POP 1 SWAP1 JUMP`,
    },
  ],
  [DECODE_ADDRESS, DECODE_ADDRESS_UINT, `returnBool: ISZERO ISZERO returnWord: ${RETURN_WORD}`],
);
