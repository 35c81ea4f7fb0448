import { assemble } from '../assembler.ts';
import { argument, dispatch, RETURN_WORD } from './macros.ts';

/** Address of Scroll's L1GasPriceOracle. */
export const SCROLL_ORACLE = '0x5300000000000000000000000000000000000002';

/** Storage slots of the original. */
export const SCROLL_SLOTS = { l1BaseFee: 1, l1BlobBaseFee: 5, commitScalar: 6, blobScalar: 7 } as const;

/** Divisor of the scalars, which are billionths. */
const PRECISION = 1_000_000_000;

/** Runtime code of Scroll's gas price oracle since Curie; the script that makes the chain writes its slots. Constantinople. */
export const SCROLL_ORACLE_RUNTIME: Uint8Array = assemble(
  dispatch([
    {
      signature: 'getL1Fee(bytes)',
      body: `
        ${argument(0)} 4 ADD CALLDATALOAD                       ; length
        ${SCROLL_SLOTS.blobScalar} SLOAD MUL ${SCROLL_SLOTS.l1BlobBaseFee} SLOAD MUL
        ${SCROLL_SLOTS.commitScalar} SLOAD ${SCROLL_SLOTS.l1BaseFee} SLOAD MUL
        ADD ${PRECISION} SWAP1 DIV ${RETURN_WORD}`,
    },
    ...Object.entries(SCROLL_SLOTS).map(([name, slot]) => ({
      signature: `${name}()`,
      body: `${slot} SLOAD ${RETURN_WORD}`,
    })),
  ]),
);
