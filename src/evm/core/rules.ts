/** The rules of the revision in force, which the host writes (evm/core-rules). */
import { readRuleNumbers } from './generated/rules.ts';

// The compiler adds the ending of a file that is exported from.
export * from './generated/rules';

let switches: u32 = 0;
/** Number of the revision, for what is kept per revision. */
export let revision: u32 = 0;
/** Bit n: the precompile of number n is there. */
export let precompiles: u32 = 0;

@inline
export function has(rule: u32): bool {
  return (switches & rule) != 0;
}

export function setRules(number: u32, switchBits: u32, precompileBits: u32): void {
  revision = number;
  switches = switchBits;
  precompiles = precompileBits;
  readRuleNumbers();
}
