import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { KeyRules } from './key-rules.ts';
import type { Rate } from './keys/rate.ts';

/** Owner of a request. Safe to log: it does not contain credentials. */
export type Principal = {
  readonly id: string;
  readonly name: string;
  /** Absent: no restrictions. */
  readonly terms?: Terms;
};

/** Restrictions and limits of a key. */
export type Terms = {
  /** Allow lists; undefined means no restrictions. */
  readonly rules: KeyRules | undefined;
  readonly rate: Rate | undefined;
  readonly dailyCredits: number | undefined;
  /** SHA-256 of the secret that each request must carry. */
  readonly secretHash: string | undefined;
  /** Issuer of the tokens that each request must carry. */
  readonly jwt: string | undefined;
};

/** Decides whether a key is valid; `undefined` means it is not. */
export interface KeyVerifier {
  /** Returns the owner of a valid key. @throws (or rejects) when the key cannot be checked now */
  verify(key: string): PromiseOrValue<Principal | undefined>;
  /** Whether the key was valid recently, without a look-up. */
  isKnown(key: string): boolean;
}
