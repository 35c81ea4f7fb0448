import { assemble } from '../../assembler.ts';
import { selectorOf } from '../abi.ts';
import { argument, dispatch, RETURN_WORD } from '../macros.ts';
import { DATA, MEASURE_FAST_LZ } from './fast-lz.ts';
import { L1_BLOCK } from './l1-block.ts';

/** Where the OP Stack's chains have it (specs, predeploys). */
export const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f';

const MICRO = 1_000_000;
/** What a signature adds, bytes. */
const SIGNATURE = 68;
/** Fjord's line through sizes of real batches, in millionths of a byte. */
const SLOPE = 836_500;
const INTERCEPT = 42_585_600;
const LEAST = 100 * MICRO;

/** [] -> [word that a function of L1Block returns] */
const askL1Block = (signature: string): string => `
  ${selectorOf(signature)} 224 SHL 0 MSTORE
  32 0 4 0 ${L1_BLOCK} GAS STATICCALL ISZERO @refuse JUMPI
  0 MLOAD
`;

/** The prices of a chain since Isthmus, as the original returns them. Constantinople. */
export const GAS_PRICE_ORACLE_RUNTIME: Uint8Array = assemble(`
  ${dispatch([
    {
      signature: 'getL1Fee(bytes)',
      body: `
        ${argument(0)} 4 ADD DUP1 CALLDATALOAD                ; at length
        DUP1 32 DUP4 ADD ${DATA} CALLDATACOPY
        @measured SWAP1 @measureFastLz JUMP
        measured:                                             ; at size
        ${SIGNATURE} ADD ${SLOPE} MUL ${INTERCEPT} SWAP1 SUB  ; at micros
        DUP1 ${LEAST} SLT @isLarge JUMPI
        POP ${LEAST}
        isLarge:
        ${askL1Block('basefee()')} ${askL1Block('baseFeeScalar()')} MUL 16 MUL
        ${askL1Block('blobBaseFee()')} ${askL1Block('blobBaseFeeScalar()')} MUL
        ADD MUL ${MICRO * MICRO} SWAP1 DIV ${RETURN_WORD}`,
    },
    {
      signature: 'getOperatorFee(uint256)',
      body: `
        ${MICRO} ${argument(0)} ${askL1Block('operatorFeeScalar()')} MUL DIV
        ${askL1Block('operatorFeeConstant()')} ADD ${RETURN_WORD}`,
    },
    { signature: 'decimals()', body: `6 ${RETURN_WORD}` },
    { signature: 'isEcotone()', body: `1 ${RETURN_WORD}` },
    { signature: 'isFjord()', body: `1 ${RETURN_WORD}` },
    { signature: 'isIsthmus()', body: `1 ${RETURN_WORD}` },
    { signature: 'isJovian()', body: `0 ${RETURN_WORD}` },
  ])}
  ${MEASURE_FAST_LZ}
`);
