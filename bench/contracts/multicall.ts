import { encodeErrorString } from '../../scripts/contracts/abi.ts';
import { storeBytes } from '../../scripts/contracts/macros.ts';
import {
  allocateArray,
  calldataElement,
  compileContract,
  DECODE_ADDRESS,
  DECODE_ARRAY,
  decodeArguments,
  ENCODE_BYTES,
  element,
  fillEmptyBytes,
  mask,
  PACK_CALLDATA,
  TAIL_OF_BYTES,
  TAIL_OF_TUPLE,
} from './solidity.ts';

const CALL_FAILED: Uint8Array = encodeErrorString('Multicall3: call failed');

/** [calls length block results i, `extra` words] -> [the same, calldata offset of call i] */
function callAt(label: string, extra: number): string {
  return `
    DUP${5 + extra} DUP1 DUP${6 + extra} DUP${4 + extra} ${calldataElement(`${label}Inside`)}
    ADD @${label} SWAP2 SWAP1 @tailOfTuple JUMP
    ${label}:`;
}

/** [] -> [bytes]; copies the last call's return data into newly allocated memory */
const COPY_RETURN_DATA = `
  RETURNDATASIZE DUP1 PUSH0 DUP2 EQ @nothingReturned JUMPI
  0x40 MLOAD SWAP2 POP 0x1f NOT 0x3f RETURNDATASIZE ADD AND DUP3 ADD 0x40 MSTORE
  RETURNDATASIZE DUP3 MSTORE RETURNDATASIZE PUSH0 0x20 DUP5 ADD RETURNDATACOPY @copied JUMP
  nothingReturned: 0x60 SWAP2 POP
  copied: POP`;

/** return block results head -> end */
const ENCODE_RESULTS = `
  encodeResults: DUP3 DUP2 MSTORE 0x40 DUP2 0x20 ADD MSTORE
  DUP2 MLOAD DUP1 DUP3 0x40 ADD MSTORE
  0x60 DUP3 ADD DUP2 5 SHL DUP2 ADD DUP5 0x20 ADD PUSH0    ; return block results head length table tail from i
  encodeNext: DUP5 DUP2 LT ISZERO @encodedAll JUMPI
  DUP4 DUP4 SUB DUP2 5 SHL DUP6 ADD MSTORE
  @encodedOne DUP4 DUP4 MLOAD @encodeBytes JUMP
  encodedOne: SWAP3 POP SWAP1 0x20 ADD SWAP1 1 ADD @encodeNext JUMP
  encodedAll: POP POP SWAP6 SWAP5 POP POP POP POP POP JUMP`;

/** Runtime code of Multicall3's `aggregate`: many calls in one, all of which must succeed. */
export const MULTICALL_CODE: Uint8Array = compileContract(
  [
    {
      signature: 'aggregate((address,bytes)[])',
      body: `
        @returnResults ${decodeArguments('decodeArray', 'aggregate')}     ; return calls length
        NUMBER DUP2 ${allocateArray('results', fillEmptyBytes('fillResults'))}
        PUSH0                                                             ; return calls length block results i
        nextCall: DUP4 DUP2 LT ISZERO @calledAll JUMPI
        ${callAt('callForTarget', 0)}
        @target SWAP1 0x20 DUP2 ADD SWAP1 @decodeAddress JUMP
        target: ${mask(160)} AND                                          ; ... target
        ${callAt('callForData', 1)} DUP1 0x20 ADD @callData SWAP2 SWAP1 @tailOfBytes JUMP
        callData: @packed SWAP2 SWAP1 0x40 MLOAD @packCalldata JUMP
        packed: PUSH0 0x40 MLOAD DUP1 DUP4 SUB DUP2 PUSH0 DUP7 GAS CALL
        SWAP2 POP POP                                                     ; ... success
        ${COPY_RETURN_DATA}
        DUP4 DUP4 ${element('resultInside')} MSTORE
        @succeeded JUMPI ${storeBytes(CALL_FAILED)} ${CALL_FAILED.length} 0 REVERT
        succeeded: 1 ADD @nextCall JUMP
        calledAll: POP SWAP3 POP SWAP3 SWAP1 POP JUMP`,
    },
  ],
  [
    DECODE_ADDRESS,
    DECODE_ARRAY,
    TAIL_OF_TUPLE,
    TAIL_OF_BYTES,
    PACK_CALLDATA,
    ENCODE_BYTES,
    ENCODE_RESULTS,
    'returnResults: 0x40 MLOAD @returnFromFree SWAP3 SWAP2 SWAP1 @encodeResults JUMP',
  ],
);
