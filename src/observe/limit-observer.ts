/**
 * Why something was refused before it was tried: too many requests a second, no credits left, no room, or no permission
 * (key, token, origin, address, method).
 */
export type LimitReason = 'rate' | 'credits' | 'overload' | 'auth';

/** Called for each refusal. */
export interface LimitObserver {
  /** `network` and `keyId` where they are known; never what a client sent in their place. */
  onLimited(reason: LimitReason, network?: string, keyId?: string): void;
}
