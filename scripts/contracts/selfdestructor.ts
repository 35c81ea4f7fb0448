import { assemble, deployCode } from '../assembler.ts';
import { addressArgument, argument, dispatch, RETURN_WORD } from './macros.ts';

export const SELFDESTRUCTOR_ABI = [
  'function write(uint256 value)',
  'function read() view returns (uint256)',
  'function destroy(address beneficiary) payable',
  'receive() external payable',
] as const;

/** Stores a word and its balance until a call makes it selfdestruct (EIP-6780 changes the effect). Frontier. */
const SELFDESTRUCTOR_RUNTIME: Uint8Array = assemble(
  dispatch(
    [
      { signature: 'write(uint256)', body: `${argument(0)} 0 SSTORE STOP` },
      { signature: 'read()', body: `0 SLOAD ${RETURN_WORD}` },
      { signature: 'destroy(address)', payable: true, body: `${addressArgument(0)} SELFDESTRUCT` },
    ],
    'invalid',
    'STOP',
  ),
);
export const SELFDESTRUCTOR_INIT_CODE: Uint8Array = deployCode(SELFDESTRUCTOR_RUNTIME);
