import { assemble } from '../../assembler.ts';
import { dispatch, RETURN_WORD } from '../macros.ts';

/** Where the OP Stack's chains have it (specs, predeploys). */
export const L1_BLOCK = '0x4200000000000000000000000000000000000015';

/** A number in a slot: so many bits, from this bit on. */
type Field = { readonly slot: number; readonly shift: number; readonly bits: number };

/** The layout of the original. */
const FIELDS: Readonly<Record<string, Field>> = {
  number: { slot: 0, shift: 0, bits: 64 },
  timestamp: { slot: 0, shift: 64, bits: 64 },
  basefee: { slot: 1, shift: 0, bits: 256 },
  sequenceNumber: { slot: 3, shift: 0, bits: 64 },
  blobBaseFeeScalar: { slot: 3, shift: 64, bits: 32 },
  baseFeeScalar: { slot: 3, shift: 96, bits: 32 },
  blobBaseFee: { slot: 7, shift: 0, bits: 256 },
  operatorFeeConstant: { slot: 8, shift: 0, bits: 64 },
  operatorFeeScalar: { slot: 8, shift: 64, bits: 32 },
};

export type L1Facts = Readonly<Record<keyof typeof FIELDS, bigint>>;

/** What the OP Stack's chains know of layer 1. Here its slots are set by who makes the chain. Constantinople. */
export const L1_BLOCK_RUNTIME: Uint8Array = assemble(
  dispatch(
    Object.entries(FIELDS).map(([name, { slot, shift, bits }]) => ({
      signature: `${name}()`,
      body: `${slot} SLOAD ${shift} SHR ${(1n << BigInt(bits)) - 1n} AND ${RETURN_WORD}`,
    })),
  ),
);

/** The slots that tell these facts. @throws RangeError when one does not fit */
export function encodeL1Block(facts: L1Facts): ReadonlyMap<number, bigint> {
  const slots = new Map<number, bigint>();
  for (const [name, { slot, shift, bits }] of Object.entries(FIELDS)) {
    const value = facts[name] ?? 0n;
    if (value >> BigInt(bits) !== 0n) throw new RangeError(`${name} has more than ${bits} bits`);
    slots.set(slot, (slots.get(slot) ?? 0n) | (value << BigInt(shift)));
  }
  return slots;
}
