import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { assemble, deployCode } from '../assembler.ts';
import { encodeErrorString, encodePanic, encodeWords } from './abi.ts';
import { argument, BUBBLE_REVERT, dispatch, RETURN_WORD, revertWith, storeBytes } from './macros.ts';

export const REVERTER_ABI = [
  'function ok() view returns (uint256)',
  'function write(uint256 value)',
  'function read() view returns (uint256)',
  'function revertString() pure',
  'function panicAssert() pure',
  'function panicOverflow() pure',
  'function panicDivision() pure',
  'function revertCustom() view',
  'function revertEmpty() pure',
  'function revertRaw() pure',
  'function revertNested() view',
  'function invalidOpcode() pure',
  'function loopForever() pure',
  'function badJump() pure',
  'function stackUnderflow() pure',
  'function stackOverflow() pure',
  'function hugeMemory() pure',
  'function returnDataOutOfBounds() pure',
  'function writeInStaticCall() view',
  'function burn(uint256 gas) view',
  'function needGasLeft() view returns (bool)',
  'function needInnerGas() view returns (bool)',
  'error Refused(address caller, uint256 code)',
] as const;

/** Reason of `revertString`, which `revertNested` passes on. */
export const REVERT_REASON = 'refused on purpose';
/** Revert data of `revertRaw`: bytes that are no valid ABI encoding. */
export const RAW_REVERT_DATA = '0xc0ffee';
/** Second argument of the custom error. */
export const REFUSED_CODE = 42n;

const SLOT = 0;
/** Gas that suffices for a call that reads, and limits the cost of one that must fail. */
const SMALL_GAS = 50_000;
const INNER_BURN = 200_000n;
const INNER_GAS = 250_000;
const GAS_WANTED = 500_000;
const MAX_WORD: string = `0x${'f'.repeat(64)}`;

/** [] -> [success]; calls itself with the `length` bytes in memory 0 */
function callSelf(opcode: 'CALL' | 'STATICCALL', length: number, gasLimit: string): string {
  return `0 0 ${length} 0 ${opcode === 'CALL' ? '0' : ''} ADDRESS ${gasLimit} ${opcode}`;
}

const FUNCTIONS = [
  { signature: 'ok()', body: `42 ${RETURN_WORD}` },
  { signature: 'write(uint256)', body: `${argument(0)} ${SLOT} SSTORE STOP` },
  { signature: 'read()', body: `${SLOT} SLOAD ${RETURN_WORD}` },
  { signature: 'revertString()', body: revertWith(encodeErrorString(REVERT_REASON)) },
  { signature: 'panicAssert()', body: revertWith(encodePanic(0x01n)) },
  { signature: 'panicOverflow()', body: revertWith(encodePanic(0x11n)) },
  { signature: 'panicDivision()', body: revertWith(encodePanic(0x12n)) },
  {
    signature: 'revertCustom()',
    body: `
      ${storeBytes(encodeWords('Refused(address,uint256)', 0n, REFUSED_CODE))}
      CALLER 4 MSTORE
      68 0 REVERT`,
  },
  { signature: 'revertEmpty()', body: '0 0 REVERT' },
  { signature: 'revertRaw()', body: revertWith(hexToBytes(RAW_REVERT_DATA)) },
  {
    signature: 'revertNested()',
    body: `
      ${storeBytes(encodeWords('revertString()'))}
      ${callSelf('CALL', 4, 'GAS')} ISZERO @bubble JUMPI STOP`,
  },
  { signature: 'invalidOpcode()', body: 'INVALID' },
  { signature: 'loopForever()', body: 'forever: @forever JUMP' },
  // Offset 0 holds the PUSH that the code begins with.
  { signature: 'badJump()', body: '0 JUMP' },
  { signature: 'stackUnderflow()', body: 'POP POP' },
  { signature: 'stackOverflow()', body: 'overflowing: CALLER @overflowing JUMP' },
  { signature: 'hugeMemory()', body: `${MAX_WORD} MLOAD` },
  { signature: 'returnDataOutOfBounds()', body: '1 0 0 RETURNDATACOPY' },
  {
    signature: 'writeInStaticCall()',
    body: `
      ${storeBytes(encodeWords('write(uint256)', 1n))}
      ${callSelf('STATICCALL', 36, String(SMALL_GAS))} ISZERO @bubble JUMPI STOP`,
  },
  {
    signature: 'burn(uint256)',
    body: `
      GAS                                             ; start
      burning:
      GAS DUP2 SUB ${argument(0)} GT @burning JUMPI
      STOP`,
  },
  {
    // Succeeds cheaply, but only while far more gas than it uses is left.
    signature: 'needGasLeft()',
    body: `GAS ${GAS_WANTED} GT @tooLittleGas JUMPI 1 ${RETURN_WORD}`,
  },
  {
    // EIP-150 forwards at most 63/64 of the remaining gas, and the inner call needs nearly all that it burns.
    signature: 'needInnerGas()',
    body: `
      ${storeBytes(encodeWords('burn(uint256)', INNER_BURN))}
      ${callSelf('CALL', 36, String(INNER_GAS))} ISZERO @tooLittleGas JUMPI
      1 ${RETURN_WORD}`,
  },
];

const SUBROUTINES = `
  bubble: ${BUBBLE_REVERT}
  tooLittleGas: ${revertWith(encodeErrorString('too little gas'))}
`;

/** Runtime code with one function for each way in which a call can fail. Byzantium. */
const REVERTER_RUNTIME: Uint8Array = assemble(`${dispatch(FUNCTIONS)} ${SUBROUTINES}`);
export const REVERTER_INIT_CODE: Uint8Array = deployCode(REVERTER_RUNTIME);
