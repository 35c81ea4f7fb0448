import type { Transport } from '../../pool/transport/transport.ts';
import { completeWithin, TIMED_OUT } from '../../util/complete-within.ts';
import type { Announcements } from './examination.ts';

/** Subscribes to new heads, waits until the node accepts, and ends the subscription. Waits at most `limitMs`. */
export async function examineAnnouncements(transport: Transport, limitMs: number): Promise<Announcements> {
  const watch = transport.watch?.bind(transport);
  if (watch === undefined) return { state: 'none' };
  let unwatch = (): void => {};
  const agreed = new Promise<boolean>((resolve) => {
    unwatch = watch('newHeads', {
      onResult() {},
      onReady: () => resolve(true),
      onLost: () => resolve(false),
    });
  });
  const outcome = await completeWithin(agreed, limitMs);
  unwatch();
  if (outcome === TIMED_OUT)
    return { state: 'failing', reason: `no subscription within ${limitMs / 1_000} s` };
  return outcome ? { state: 'coming' } : { state: 'failing', reason: 'the node refuses the subscription' };
}
