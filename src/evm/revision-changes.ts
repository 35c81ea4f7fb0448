/** What each revision changes in execution beside its instructions and their static gas, named by EIP. */
import { isAtLeast, type Revision } from './revision.ts';

/** Switches of the core, in the order of their bits (core/rules). */
const FEATURES: readonly (readonly [eip: string, since: Revision, until?: Revision])[] = [
  ['EIP-2: a creation that cannot pay for its code fails', 'homestead'],
  ['EIP-150: a call hands over all but a 64th of the gas', 'tangerineWhistle'],
  ['EIP-158, 161: empty accounts', 'spuriousDragon'],
  ['EIP-170: code size', 'spuriousDragon'],
  ['EIP-1283: net gas metering', 'constantinople', 'petersburg'],
  ['EIP-2200: no storing with a stipend', 'istanbul'],
  ['EIP-2929: cold and warm', 'berlin'],
  ['EIP-3541: no code beginning with 0xef', 'london'],
  ['EIP-3860: initialisation code', 'shanghai'],
  ['EIP-6780: SELFDESTRUCT only in the same transaction', 'cancun'],
  ['EIP-7702: delegations', 'prague'],
  ['EIP-3529: refunds', 'london'],
  ['EIP-3651: the beneficiary is warm', 'shanghai'],
];
/** EIP-2200 brought net metering back. */
const NET_METERING = { bit: 4, since: 'istanbul' } as const;

/** First revision of each precompile: address, or bit 18 for 0x100 (EIP-7951). */
const PRECOMPILES: readonly (readonly [first: number, last: number, since: Revision])[] = [
  [1, 4, 'frontier'],
  [5, 8, 'byzantium'],
  [9, 9, 'istanbul'],
  [10, 10, 'cancun'],
  [11, 17, 'prague'],
  [18, 18, 'osaka'],
];

export type CoreRules = {
  readonly features: number;
  readonly precompiles: number;
  /** EXP, per byte of the exponent (EIP-160). */
  readonly expByteGas: bigint;
  /** SSTORE to a slot that this transaction wrote already; changing one; refund for clearing one (1283, 2200, 2929, 3529). */
  readonly storageAgainGas: bigint;
  readonly storageResetGas: bigint;
  readonly storageClearRefund: bigint;
};

/** The switches and numbers of a revision, as the core takes them. */
export function coreRulesOf(revision: Revision): CoreRules {
  const since = (name: Revision): boolean => isAtLeast(revision, name);
  let features = since(NET_METERING.since) ? 1 << NET_METERING.bit : 0;
  FEATURES.forEach(([, from, until], bit) => {
    if (since(from) && (until === undefined || !since(until))) features |= 1 << bit;
  });
  let precompiles = 0;
  for (const [first, last, from] of PRECOMPILES) {
    for (let bit = first; bit <= last && since(from); bit++) precompiles |= 1 << bit;
  }
  return {
    features,
    precompiles,
    expByteGas: since('spuriousDragon') ? 50n : 10n,
    storageAgainGas: since('berlin') ? 100n : since('istanbul') ? 800n : 200n,
    storageResetGas: since('berlin') ? 2900n : 5000n,
    storageClearRefund: since('london') ? 4800n : 15_000n,
  };
}
