import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { KeyRules } from './key-rules.ts';
import type { Rate } from './keys/rate.ts';

/** Owner of a request. The object is safe to log: it contains no credentials, only the hash of a secret. */
export type Principal = {
  readonly id: string;
  readonly name: string;
  /** Restrictions and limits of the owner's key. Absent means none. */
  readonly terms?: Terms;
};

/** Restrictions and limits of a key. */
export type Terms = {
  /** Allow lists of the key. Undefined means no restrictions. */
  readonly rules: KeyRules | undefined;
  readonly rate: Rate | undefined;
  readonly dailyCredits: number | undefined;
  /** SHA-256 of the secret that each request must carry. */
  readonly secretHash: string | undefined;
  /** Name of the issuer (`access.jwt`) whose token each request must carry. */
  readonly jwt: string | undefined;
};

/** Decides whether a key is valid. */
export interface KeyVerifier {
  /**
   * Returns the owner of a valid key, or undefined for an invalid key.
   * @throws Error, or rejects, while the key cannot be checked
   */
  verify(key: string): PromiseOrValue<Principal | undefined>;
  /** Whether the key was valid recently. The result comes from the cache, not from the key store. */
  isKnown(key: string): boolean;
}
