import { bigIntToFixedBytes, concatBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { selectorOf } from '../abi.ts';

/** Setter of layer 1's values since Isthmus; its arguments are packed behind the selector. */
export const SET_ATTRIBUTES = 'setL1BlockValuesIsthmus()';

/** Bytes of each number, in order (specs, isthmus/l1-attributes). */
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

/** Values that a block of an OP Stack chain states about the layer 1 block that it was made from. Fees in wei, scalars in millionths. */
export type L1Facts = Readonly<Record<keyof typeof LAYOUT, bigint>>;

const SELECTOR_LENGTH = 4;
/** Bytes of the calldata, selector included. */
export const ATTRIBUTES_LENGTH: number = Object.values(LAYOUT).reduce<number>(
  (sum, size) => sum + size,
  SELECTOR_LENGTH,
);

/**
 * Encodes the calldata of a block's first transaction, which sets layer 1's values in L1Block.
 * @throws RangeError when a number does not fit
 */
export function encodeAttributes(facts: L1Facts): Uint8Array {
  const fields = Object.entries(LAYOUT).map(([name, size]) =>
    bigIntToFixedBytes(facts[name as keyof L1Facts], size),
  );
  return concatBytes(hexToBytes(selectorOf(SET_ATTRIBUTES)), ...fields);
}
