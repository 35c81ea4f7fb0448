import { assemble } from '../../assembler.ts';
import { dispatch, RETURN_WORD } from '../macros.ts';
import { ATTRIBUTES_LENGTH, type L1Facts, SET_ATTRIBUTES } from './attributes.ts';

/** Address of the predeploy on the OP Stack's chains (specs, predeploys). */
export const L1_BLOCK = '0x4200000000000000000000000000000000000015';
/** Sender of the first transaction of every block, which sets layer 1's values here: an account without a known key. */
export const DEPOSITOR = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001';

/** A number in a slot: `bits` bits from bit `shift` on. */
type Field = { readonly slot: number; readonly shift: number; readonly bits: number };

/** Storage layout of the original. */
const FIELDS: Readonly<Record<keyof L1Facts, Field>> = {
  number: { slot: 0, shift: 0, bits: 64 },
  timestamp: { slot: 0, shift: 64, bits: 64 },
  basefee: { slot: 1, shift: 0, bits: 256 },
  hash: { slot: 2, shift: 0, bits: 256 },
  sequenceNumber: { slot: 3, shift: 0, bits: 64 },
  blobBaseFeeScalar: { slot: 3, shift: 64, bits: 32 },
  baseFeeScalar: { slot: 3, shift: 96, bits: 32 },
  batcherHash: { slot: 4, shift: 0, bits: 256 },
  blobBaseFee: { slot: 7, shift: 0, bits: 256 },
  operatorFeeConstant: { slot: 8, shift: 0, bits: 64 },
  operatorFeeScalar: { slot: 8, shift: 64, bits: 32 },
};

/**
 * Creates L1Block's runtime code: getters of layer 1's values, and Isthmus's setter, which only `depositor` may call. The setter's packed arguments
 * (attributes.ts) are laid out as the slots are. Constantinople.
 * @param depositor address, hex with prefix
 */
export function createL1BlockRuntime(depositor: string): Uint8Array {
  return assemble(
    dispatch([
      ...Object.entries(FIELDS).map(([name, { slot, shift, bits }]) => ({
        signature: `${name}()`,
        body: `${slot} SLOAD ${shift} SHR ${(1n << BigInt(bits)) - 1n} AND ${RETURN_WORD}`,
      })),
      {
        signature: SET_ATTRIBUTES,
        body: `
          ${depositor} CALLER EQ ISZERO @refuse JUMPI
          ${ATTRIBUTES_LENGTH} CALLDATASIZE LT @refuse JUMPI
          4 CALLDATALOAD 128 SHR 3 SSTORE       ; scalars, sequence number
          20 CALLDATALOAD 128 SHR 0 SSTORE      ; time, number
          36 CALLDATALOAD 1 SSTORE              ; base fee
          68 CALLDATALOAD 7 SSTORE              ; blob base fee
          100 CALLDATALOAD 2 SSTORE             ; hash
          132 CALLDATALOAD 4 SSTORE             ; batcher
          164 CALLDATALOAD 160 SHR 8 SSTORE     ; operator fee
          STOP`,
      },
    ]),
  );
}

export const L1_BLOCK_RUNTIME: Uint8Array = createL1BlockRuntime(DEPOSITOR);

/**
 * Encodes the values into storage slots.
 * @throws RangeError when a value does not fit
 */
export function encodeL1Block(facts: L1Facts): ReadonlyMap<number, bigint> {
  const slots = new Map<number, bigint>();
  for (const [name, { slot, shift, bits }] of Object.entries(FIELDS)) {
    const value = facts[name as keyof L1Facts];
    if (value >> BigInt(bits) !== 0n) throw new RangeError(`${name} has more than ${bits} bits`);
    slots.set(slot, (slots.get(slot) ?? 0n) | (value << BigInt(shift)));
  }
  return slots;
}
