/** Rules of the active revision, which the host writes (interpreter/core-rules). */
import { readRuleNumbers } from './generated/rules.ts';

// The import path has no extension, because the AssemblyScript compiler appends one to re-exported files.
export * from './generated/rules';

let switches: u32 = 0;
/** Number of the revision, the key of data cached per revision. */
export let revision: u32 = 0;
/** Bit n: the precompile with number n exists. */
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
