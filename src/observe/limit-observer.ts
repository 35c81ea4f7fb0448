import type { BoundName } from '../util/bounds.ts';

/**
 * Reason for refusing a request before any attempt to serve it. `rate`: too many per second; `credits`: none left;
 * `overload`: no room; `quota`: maximum number per key; `size`: too large; `time`: too late; `auth`: no permission
 * (key, token, origin, address, method).
 */
export type LimitReason = 'rate' | 'credits' | 'overload' | 'quota' | 'size' | 'time' | 'auth';

/** Observer that is called for each refusal. */
export interface LimitObserver {
  /**
   * @param bound name of the exceeded bound; undefined if there is none
   * @param network name of the network if known, never text of a client
   * @param keyId id of the key if known, never text of a client
   */
  onLimited(reason: LimitReason, bound: BoundName | undefined, network?: string, keyId?: string): void;
}
