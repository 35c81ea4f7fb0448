import { assemble } from '../../assembler.ts';
import { selectorOf } from '../abi.ts';
import { argument, dispatch, RETURN_WORD } from '../macros.ts';
import { DATA, MEASURE_FAST_LZ } from './fast-lz.ts';
import { L1_BLOCK } from './l1-block.ts';

/** Address of the predeploy on the OP Stack's chains (specs, predeploys). */
export const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000f';

const MICRO = 1_000_000;
/** Bytes that a signature adds. */
const SIGNATURE = 68;
/** Fjord's linear fit through sizes of real batches, in millionths of a byte. */
const SLOPE = 836_500;
const INTERCEPT = 42_585_600;
const LEAST = 100 * MICRO;

/** [compressed size with the signature] -> [millionths of bytes that are charged]. `name` makes its label unique. */
const estimateSize = (name: string): string => `
  ${SLOPE} MUL ${INTERCEPT} SWAP1 SUB
  DUP1 ${LEAST} SLT @${name} JUMPI
  POP ${LEAST}
  ${name}:
`;

/** [] -> [size of the argument, compressed, with the signature]. `name` is the label to return to. */
const measure = (name: string): string => `
  ${argument(0)} 4 ADD DUP1 CALLDATALOAD                ; at length
  DUP1 32 DUP4 ADD ${DATA} CALLDATACOPY
  @${name} SWAP1 @measureFastLz JUMP
  ${name}: ${SIGNATURE} ADD
`;

/** [] -> [word that a function of L1Block returns] */
const askL1Block = (signature: string): string => `
  ${selectorOf(signature)} 224 SHL 0 MSTORE
  32 0 4 0 ${L1_BLOCK} GAS STATICCALL ISZERO @refuse JUMPI
  0 MLOAD
`;

/** [millionths of bytes] -> [fee, wei] */
const priceSize = `
  ${askL1Block('basefee()')} ${askL1Block('baseFeeScalar()')} MUL 16 MUL
  ${askL1Block('blobBaseFee()')} ${askL1Block('blobBaseFeeScalar()')} MUL
  ADD MUL ${MICRO * MICRO} SWAP1 DIV
`;

/** Functions of the oracle that return the value of a function of L1Block, with that function. */
const PRICES: Readonly<Record<string, string>> = {
  'l1BaseFee()': 'basefee()',
  'blobBaseFee()': 'blobBaseFee()',
  'baseFeeScalar()': 'baseFeeScalar()',
  'blobBaseFeeScalar()': 'blobBaseFeeScalar()',
};

/** Oracle of a chain since Isthmus; prices are those that the original returns. London. */
export const GAS_PRICE_ORACLE_RUNTIME: Uint8Array = assemble(`
  ${dispatch([
    {
      signature: 'getL1Fee(bytes)',
      body: `${measure('feeMeasured')} ${estimateSize('feeSize')} ${priceSize} ${RETURN_WORD}`,
    },
    {
      // Layer 1 charges 16 gas per byte of calldata.
      signature: 'getL1GasUsed(bytes)',
      body: `${measure('gasMeasured')} ${estimateSize('gasSize')} 16 MUL ${MICRO} SWAP1 DIV ${RETURN_WORD}`,
    },
    {
      // FastLZ expands a text by at most a 255th and 16 bytes.
      signature: 'getL1FeeUpperBound(uint256)',
      body: `
        ${argument(0)} ${SIGNATURE} ADD DUP1 255 SWAP1 DIV ADD 16 ADD
        ${estimateSize('boundSize')} ${priceSize} ${RETURN_WORD}`,
    },
    {
      signature: 'getOperatorFee(uint256)',
      body: `
        ${MICRO} ${argument(0)} ${askL1Block('operatorFeeScalar()')} MUL DIV
        ${askL1Block('operatorFeeConstant()')} ADD ${RETURN_WORD}`,
    },
    ...Object.entries(PRICES).map(([signature, source]) => ({
      signature,
      body: `${askL1Block(source)} ${RETURN_WORD}`,
    })),
    { signature: 'gasPrice()', body: `BASEFEE ${RETURN_WORD}` },
    { signature: 'baseFee()', body: `BASEFEE ${RETURN_WORD}` },
    { signature: 'decimals()', body: `6 ${RETURN_WORD}` },
    { signature: 'isEcotone()', body: `1 ${RETURN_WORD}` },
    { signature: 'isFjord()', body: `1 ${RETURN_WORD}` },
    { signature: 'isIsthmus()', body: `1 ${RETURN_WORD}` },
    { signature: 'isJovian()', body: `0 ${RETURN_WORD}` },
  ])}
  ${MEASURE_FAST_LZ}
`);
