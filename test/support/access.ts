import { KnownCredentials } from '../../src/access/known-credentials.ts';
import type { LimitTable } from '../../src/access/limits/limit-table.ts';
import { Limiter } from '../../src/access/limits/limiter.ts';
import type { KeyVerifier } from '../../src/access/principal.ts';
import type { AdmissionParts } from '../../src/gateway/admission.ts';

/** Limits that grant every request. */
export const NO_LIMITS: LimitTable = {
  share: 1,
  unreported: 1,
  draw: ({ tokens }) => ({ tokens, waitMs: 0, spent: 0 }),
  close: async () => {},
};

/** Admission by `verify` alone, without limits and tokens. */
export function openTo(verify: KeyVerifier['verify']): AdmissionParts {
  return {
    keys: { verify, isKnown: () => false },
    tokens: { verify: () => assertNever() },
    credentials: new KnownCredentials(),
    limiter: new Limiter({ table: NO_LIMITS, failures: { perSecond: 1, burst: 1 }, networks: new Map() }),
  };
}

function assertNever(): never {
  throw new Error('no key of this test asks for a token');
}
