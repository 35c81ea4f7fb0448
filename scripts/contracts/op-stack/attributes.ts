import { bigIntToFixedBytes, concatBytes } from '../../../src/primitives/bytes.ts';
import { hexToBytes } from '../../../src/primitives/hex.ts';
import { selectorOf } from '../abi.ts';

/** Since Isthmus; what follows the selector is packed. */
export const SET_ATTRIBUTES = 'setL1BlockValuesIsthmus()';

/** Bytes of each number, in their order (specs, isthmus/l1-attributes). */
const LAYOUT = {
  baseFeeScalar: 4,
  blobBaseFeeScalar: 4,
  sequenceNumber: 8,
  timestamp: 8,
  number: 8,
  basefee: 32,
  blobBaseFee: 32,
  hash: 32,
  batcherHash: 32,
  operatorFeeScalar: 4,
  operatorFeeConstant: 8,
} as const;

/** What a block of an OP Stack chain knows of the block of layer 1 that it was made from. Fees in wei, scalars in millionths. */
export type L1Facts = Readonly<Record<keyof typeof LAYOUT, bigint>>;

const SELECTOR_LENGTH = 4;
/** Bytes of the calldata, selector and all. */
export const ATTRIBUTES_LENGTH: number = Object.values(LAYOUT).reduce<number>(
  (sum, size) => sum + size,
  SELECTOR_LENGTH,
);

/** Calldata of the first transaction of a block, which sets layer 1's values in L1Block. @throws RangeError when a number does not fit */
export function encodeAttributes(facts: L1Facts): Uint8Array {
  const fields = Object.entries(LAYOUT).map(([name, size]) =>
    bigIntToFixedBytes(facts[name as keyof L1Facts], size),
  );
  return concatBytes(hexToBytes(selectorOf(SET_ATTRIBUTES)), ...fields);
}
