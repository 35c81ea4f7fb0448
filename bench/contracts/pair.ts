import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { encodeWord } from '../../scripts/chains/encode-call.ts';
import { compileContract, mask } from './solidity.ts';

/** Runtime code of an automated market maker's pair: slot 0 packs two 112-bit reserves and a 32-bit time. */
export const PAIR_CODE: Uint8Array = compileContract(
  [
    {
      signature: 'getReserves()',
      body: `
        PUSH0 SLOAD 0x40 DUP1 MLOAD                         ; packed 0x40 free
        ${mask(112)} DUP1 DUP5 AND DUP3 MSTORE
        1 0x70 SHL DUP5 DIV AND 0x20 DUP3 ADD MSTORE
        1 0xe0 SHL DUP4 DIV 0xffffffff AND DUP2 0x40 ADD MSTORE
        0x60 ADD @returnFromFree JUMP`,
    },
  ],
  [],
);

/** Encodes slot 0 of a pair: reserves of 112 bits each, `time` of 32. */
export function packReserves(first: bigint, second: bigint, time: bigint): string {
  return bytesToHex(encodeWord(first | (second << 112n) | (time << 224n)));
}
