import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { KeyRules } from './key-rules.ts';
import type { Rate } from './keys/rate.ts';

/** The owner of a request. Safe to log: it holds nothing that opens a door. */
export type Principal = {
  readonly id: string;
  readonly name: string;
  /** Absent: everything is allowed, without a bound. */
  readonly terms?: Terms;
};

/** Under which terms. */
export type Terms = {
  /** Where it may be used and for what; undefined: for everything. */
  readonly rules: KeyRules | undefined;
  readonly rate: Rate | undefined;
  readonly dailyCredits: number | undefined;
  /** SHA-256 of the secret that each request must bring. */
  readonly secretHash: string | undefined;
  /** Issuer of the tokens that each request must bring. */
  readonly jwt: string | undefined;
};

/** Decides whether a key opens the service. `undefined` means it does not. */
export interface KeyVerifier {
  /** @throws (or rejects) when that cannot be found out now */
  verify(key: string): PromiseOrValue<Principal | undefined>;
  /** Whether the key has opened a short time ago; without a look-up. */
  isKnown(key: string): boolean;
}
