import type { BoundName } from '../util/bounds.ts';

/**
 * Why something was refused before it was tried: too many requests a second, no credits left, no room, as many as a key may have, too large, too late, or no permission
 * (key, token, origin, address, method).
 */
export type LimitReason = 'rate' | 'credits' | 'overload' | 'quota' | 'size' | 'time' | 'auth';

/** Called for each refusal. */
export interface LimitObserver {
  /**
   * @param bound by which it was refused; undefined where no bound was met
   * @param network with `keyId` where they are known; never what a client sent in their place
   */
  onLimited(reason: LimitReason, bound: BoundName | undefined, network?: string, keyId?: string): void;
}
