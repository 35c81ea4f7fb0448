import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SubscriptionWatch } from '../../../src/pool/transport/subscription-watch.ts';
import type { SubscriptionKind } from '../../../src/pool/transport/transport.ts';

/** A confirmed subscription, and its announcements. */
function subscribe(kind: SubscriptionKind): {
  readonly watch: SubscriptionWatch;
  readonly clock: { ms: number };
  readonly results: unknown[];
} {
  const clock = { ms: 0 };
  const results: unknown[] = [];
  const watch = new SubscriptionWatch(
    kind,
    { onResult: (result) => results.push(result), onReady() {}, onLost() {} },
    (_call, onReply) => onReply({ kind: 'result', result: '"0x1"' }),
    () => {},
    () => clock.ms,
  );
  watch.goUp();
  return { watch, clock, results };
}

/** Announces messages of this many bytes at this rate until one is refused. @returns number of accepted messages */
function announceMany(kind: SubscriptionKind, bytes: number, perSecond: number, most: number): number {
  const { watch, clock, results } = subscribe(kind);
  try {
    for (let i = 0; i < most; i++) {
      watch.announce('0x1', i, bytes);
      clock.ms += 1_000 / perSecond;
    }
  } catch (error) {
    assert.match(String(error), /bound: (?:announcements|bytes of announced) /);
  }
  watch.stop();
  return results.length;
}

test('heads are bounded in number and in bytes', () => {
  assert.equal(announceMany('newHeads', 2_048, 100, 5_000), 5_000);
  assert.equal(announceMany('newHeads', 4_096, 128, 5_000), 5_000);
  // A validator set in the header of each second's block.
  assert.equal(announceMany('newHeads', 256 * 1024, 1, 500), 500);
  assert.ok(announceMany('newHeads', 100, 1_000, 5_000) < 600);
  assert.ok(announceMany('newHeads', 250_000, 65, 5_000) < 12);
});

test('announcements of pending transactions are not bounded here, but by their listeners', () => {
  assert.equal(announceMany('newPendingTransactions', 4_096, 10_000, 5_000), 5_000);
});
