import type { RevisionRules } from '../revisions/revision-rules.ts';
import type { Cryptography } from './cryptography.ts';
import type { Precompile } from './precompile.ts';

/** Precompiled contracts by numeric address. */
export interface Precompiles {
  of(rules: RevisionRules): ReadonlyMap<number, Precompile>;
}

/** Creates precompiles that compute with `cryptography`. The precompiles of a revision are created at first use. */
export function createPrecompiles(cryptography: Cryptography): Precompiles {
  const byRules = new WeakMap<RevisionRules, ReadonlyMap<number, Precompile>>();
  return {
    of: (rules) => {
      let precompiles = byRules.get(rules);
      if (precompiles === undefined) {
        precompiles = new Map(
          [...rules.precompiles].map(([address, row]) => [address, row.create(cryptography)]),
        );
        byRules.set(rules, precompiles);
      }
      return precompiles;
    },
  };
}
