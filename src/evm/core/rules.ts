/** The rules of the revision in force. The host derives them from `evm/revision-changes.ts`; each bit is an EIP. */

export const EIP2: u32 = 1 << 0;
export const EIP150: u32 = 1 << 1;
export const EIP158: u32 = 1 << 2;
export const EIP170: u32 = 1 << 3;
/** Net gas metering of SSTORE: 1283 (Constantinople only) or 2200. */
export const NET_METERING: u32 = 1 << 4;
/** EIP-2200: no SSTORE with 2,300 gas or less. */
export const EIP2200: u32 = 1 << 5;
export const EIP2929: u32 = 1 << 6;
export const EIP3541: u32 = 1 << 7;
export const EIP3860: u32 = 1 << 8;
export const EIP6780: u32 = 1 << 9;
export const EIP7702: u32 = 1 << 10;
/** EIP-3529: nothing comes back for SELFDESTRUCT. */
export const EIP3529: u32 = 1 << 11;
/** The beneficiary is warm from the beginning. */
export const EIP3651: u32 = 1 << 12;

let features: u32 = 0;
/** Number of the revision, for what is kept per revision. */
export let revision: u32 = 0;
/** Bit n: the precompile at address n is there; bit 18 stands for 0x100. */
export let precompiles: u32 = 0;
/** EIP-160. */
export let expByteGas: i64 = 10;
/** SSTORE: what a slot costs that is written again, set, or changed, and what clearing gives back. */
export let storageAgainGas: i64 = 0;
export let storageResetGas: i64 = 5000;
export let storageClearRefund: i64 = 15000;

@inline
export function has(feature: u32): bool {
  return (features & feature) != 0;
}

export function setRules(
  number: u32,
  featureBits: u32,
  precompileBits: u32,
  expByte: i64,
  storageAgain: i64,
  storageReset: i64,
  storageClear: i64,
): void {
  revision = number;
  features = featureBits;
  precompiles = precompileBits;
  expByteGas = expByte;
  storageAgainGas = storageAgain;
  storageResetGas = storageReset;
  storageClearRefund = storageClear;
}
