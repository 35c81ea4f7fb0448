import { assemble, deployCode } from '../assembler.ts';
import {
  addressArgument,
  argument,
  BUBBLE_REVERT,
  copyBytesArgument,
  dispatch,
  RETURN_WORD,
} from './macros.ts';

export const DELEGATE_ABI = [
  'function execute(address to, uint256 value, bytes data) payable',
  'function self() view returns (address)',
  'function counter() view returns (uint256)',
  'receive() external payable',
] as const;

/**
 * Code for accounts to delegate to (EIP-7702): calls on behalf of the account and counts in the account's own storage. Only the account itself may
 * call it for that. Byzantium.
 */
export const DELEGATE_RUNTIME: Uint8Array = assemble(`
  ${dispatch(
    [
      {
        signature: 'execute(address,uint256,bytes)',
        payable: true,
        body: `
          ADDRESS CALLER EQ ISZERO @refuse JUMPI
          0 SLOAD 1 ADD 0 SSTORE
          0 0 ${copyBytesArgument(2)} 0 ${argument(1)} ${addressArgument(0)} GAS CALL
          ISZERO @bubble JUMPI
          STOP`,
      },
      { signature: 'self()', body: `ADDRESS ${RETURN_WORD}` },
      { signature: 'counter()', body: `0 SLOAD ${RETURN_WORD}` },
    ],
    'revert',
    'STOP',
  )}
  bubble: ${BUBBLE_REVERT}
`);
export const DELEGATE_INIT_CODE: Uint8Array = deployCode(DELEGATE_RUNTIME);
