import type { BoundName } from '../util/bounds.ts';

/**
 * Reason of a refusal before an attempt: too many requests per second, no credits left, no room, the maximum number
 * per key, too large, too late, or no permission (key, token, origin, address, method).
 */
export type LimitReason = 'rate' | 'credits' | 'overload' | 'quota' | 'size' | 'time' | 'auth';

/** Called for each refusal. */
export interface LimitObserver {
  /**
   * @param bound the bound that refused; undefined where there is none
   * @param network set like `keyId` if known; never text of a client
   */
  onLimited(reason: LimitReason, bound: BoundName | undefined, network?: string, keyId?: string): void;
}
