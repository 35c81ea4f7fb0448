import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BatchSize } from '../../../src/pool/transport/batch-size.ts';
import { type CallerCoalescing, CoalescingPolicy } from '../../../src/pool/transport/coalescing-policy.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function createPolicy(callers: CallerCoalescing = 'auto'): { policy: CoalescingPolicy; clock: FakeClock } {
  const clock = new FakeClock();
  return { policy: new CoalescingPolicy(callers, () => clock.now()), clock };
}

/**
 * Simulates turns of the event loop with four calls each, 1 ms apart.
 * @param turns number of turns
 * @param aloneMs duration of a separate call
 * @param joinedMs duration of a coalesced batch
 * @returns number of turns in which the calls were coalesced
 */
function pass(
  { policy, clock }: ReturnType<typeof createPolicy>,
  turns: number,
  aloneMs: number,
  joinedMs: number,
): number {
  let joined = 0;
  for (let turn = 0; turn < turns; turn++) {
    clock.advanceNow(1);
    if (policy.decideTurn()) {
      joined++;
      policy.noteBatch(joinedMs, 4, 4, 4);
    } else {
      for (let call = 0; call < 4; call++) policy.noteAlone(aloneMs, 4);
    }
  }
  return joined;
}

describe('CoalescingPolicy', () => {
  it('starts with separate calls, coalesces once that is not slower, and then measures separate calls every 32 ms', () => {
    const setUp = createPolicy();
    assert.equal(pass(setUp, 15, 1, 0.8), 0);
    pass(setUp, 500, 1, 0.8);
    assert.equal(pass(setUp, 160, 1, 0.8), 155);
  });

  it('keeps calls separate while coalescing is slower, and measures coalesced calls in every sixteenth turn', () => {
    const setUp = createPolicy();
    pass(setUp, 512, 1, 3);
    assert.equal(pass(setUp, 160, 1, 3), 10);
  });

  it('changes its decision when the node changes', () => {
    const setUp = createPolicy();
    pass(setUp, 1_000, 1, 0.8);
    pass(setUp, 60_000, 1, 5);
    assert.equal(pass(setUp, 160, 1, 5), 10);
    pass(setUp, 120_000, 1, 0.5);
    assert.equal(pass(setUp, 160, 1, 0.5), 155);
  });

  it('retries at growing intervals if coalesced calls are fast only while they are few', () => {
    const setUp = createPolicy();
    const begun: number[] = [];
    let joins = false;
    for (let ms = 0; ms < 600_000; ms++) {
      setUp.clock.advanceNow(1);
      const isJoined = setUp.policy.decideTurn();
      if (isJoined) setUp.policy.noteBatch(joins ? 3 : 1, 4, 4, 4);
      else setUp.policy.noteAlone(1, 4);
      // A probe is a single turn of the event loop.
      const wasJoined = joins;
      joins = setUp.policy.coalescesCallers;
      if (joins && !wasJoined) begun.push(ms);
    }
    const pauses = begun.slice(1).map((ms, i) => ms - (begun[i] as number));
    assert.ok(pauses.length >= 2 && pauses.length <= 6, `${pauses}`);
    assert.ok(
      pauses.every((pause, i) => pause > 1.5 * (pauses[i - 1] ?? 0)),
      `${pauses}`,
    );
  });

  it('keeps calls separate if many coalesced calls are slow, even if their median is not', () => {
    const { policy, clock } = createPolicy();
    let joined = 0;
    for (let turn = 0; turn < 2_000; turn++) {
      clock.advanceNow(1);
      const isJoined = policy.decideTurn();
      if (isJoined) policy.noteBatch(turn % 5 === 0 ? 100 : 1, 4, 4, 4);
      else for (let call = 0; call < 4; call++) policy.noteAlone(turn % 100 === call ? 100 : 1, 4);
      if (isJoined && turn > 1_000) joined++;
    }
    assert.ok(joined < 70, `${joined}`);
  });

  it('stops coalescing only beyond a margin for noise', () => {
    const setUp = createPolicy();
    pass(setUp, 1_000, 1, 0.9);
    pass(setUp, 60_000, 1, 1.05);
    assert.equal(pass(setUp, 160, 1, 1.05), 155);
  });

  it('continues through short slow phases, and stops after seconds of slow calls', () => {
    const setUp = createPolicy();
    pass(setUp, 1_000, 1, 0.8);
    for (let moment = 0; moment < 20; moment++) {
      pass(setUp, 900, 1, 5);
      pass(setUp, 2_000, 1, 0.8);
    }
    assert.equal(pass(setUp, 160, 1, 0.8), 155);
    pass(setUp, 5_000, 1, 5);
    assert.equal(pass(setUp, 160, 1, 5), 10);
  });

  it('continues when the load changes: quiet and busy periods are not compared', () => {
    const setUp = createPolicy();
    pass(setUp, 20_000, 1, 1.6);
    pass(setUp, 35_000, 1, 0.5);
    assert.equal(pass(setUp, 160, 1, 0.5), 155);
    pass(setUp, 20_000, 20, 16);
    assert.equal(pass(setUp, 160, 20, 16), 155);
  });

  it('with few samples, tolerates coalesced calls as slow as the slowest separate call', () => {
    const { policy, clock } = createPolicy();
    pass({ policy, clock }, 1_000, 1, 0.8);
    // For 16 of every 48 turns separate calls are as slow as the coalesced ones: with so few samples that may be the usual time.
    for (let turn = 0; turn < 60_000; turn++) {
      clock.advanceNow(2);
      if (policy.decideTurn()) policy.noteBatch(2, 4, 4, 4);
      else for (let call = 0; call < 4; call++) policy.noteAlone((turn >> 4) % 3 === 0 ? 2 : 1, 4);
    }
    assert.ok(policy.coalescesCallers);
  });

  it('returns to separate calls when its samples have expired', () => {
    const setUp = createPolicy();
    pass(setUp, 1_000, 1, 0.8);
    setUp.clock.advanceNow(60_000);
    for (let turn = 0; turn < 64; turn++) setUp.policy.decideTurn();
    assert.ok(pass(setUp, 64, 1, 0.8) <= 4);
  });

  it('does not compare isolated calls with coalesced ones', () => {
    const { policy, clock } = createPolicy();
    for (let turn = 0; turn < 2_000; turn++) {
      clock.advanceNow(1);
      if (policy.decideTurn()) policy.noteBatch(0.1, 4, 4, 4);
      else policy.noteAlone(9, 1);
    }
    assert.equal(Array.from({ length: 160 }, () => policy.decideTurn()).filter(Boolean).length, 10);
  });

  it('compares batches of clients as callers: one request each, or coalesced', () => {
    const { policy, clock } = createPolicy();
    for (let turn = 0; turn < 10_000; turn++) {
      clock.advanceNow(1);
      if (policy.decideTurn()) policy.noteBatch(1, 60, 3, 1);
      else for (let caller = 0; caller < 3; caller++) policy.noteBatch(1, 20, 1, 3);
    }
    assert.ok(policy.coalescesCallers);
    const alone = createPolicy();
    for (let turn = 0; turn < 10_000; turn++) {
      alone.clock.advanceNow(1);
      alone.policy.decideTurn();
      alone.policy.noteBatch(1, 20, 1, 1);
    }
    assert.equal(alone.policy.coalescesCallers, false);
  });

  it('ignores measurements with always and never', () => {
    assert.equal(pass(createPolicy('always'), 100, 1, 9), 100);
    assert.equal(pass(createPolicy('never'), 100, 9, 1), 0);
  });

  it('limits batches to a size at which their calls do not wait for each other', () => {
    const { policy } = createPolicy();
    assert.equal(policy.items, Number.POSITIVE_INFINITY);
    policy.noteBatch(500, 100, 1, 1);
    assert.equal(policy.items, Number.POSITIVE_INFINITY, 'what one call takes is not known');
    policy.noteAlone(1, 1);
    policy.noteBatch(1 + 99 * 2, 100, 1, 1);
    assert.equal(policy.items, 5);
    policy.noteBatch(1, 199, 1, 1);
    assert.equal(policy.items, 15, 'one that was fast weighs as much as its calls');
    policy.noteBatch(0.5, 199, 1, 1, 0);
    assert.equal(policy.items, 25, 'as does one that waited here to be read');
    const far = createPolicy().policy;
    far.noteAlone(100, 1);
    far.noteBatch(100 + 99 * 2, 100, 1, 1);
    assert.equal(far.items, 50, 'at a node that is far away they may wait longer');
    const slow = createPolicy().policy;
    slow.noteAlone(50, 1);
    slow.noteBatch(10_000, 100, 1, 1);
    assert.equal(slow.items, 1);
  });

  it('splits a batch after four times its expected duration, at least 250 ms', () => {
    const { policy } = createPolicy();
    assert.equal(policy.splitAfterMs(100), 250);
    policy.noteAlone(10, 1);
    policy.noteBatch(10 + 99, 100, 1, 1);
    assert.equal(policy.splitAfterMs(100), 440);
    policy.noteBatch(100_000, 100, 1, 1);
    assert.equal(policy.splitAfterMs(100), 5_000);
  });
});

describe('BatchSize', () => {
  it('is halved after a batch that was too large, is one after any other refusal, and is reset after minutes', () => {
    const clock = new FakeClock();
    const size = new BatchSize(100, () => clock.now());
    assert.equal(size.limit, 100);
    size.refuse(100, true);
    assert.equal(size.limit, 50);
    size.refuse(80, true);
    assert.equal(size.limit, 40);
    size.refuse(100, true);
    assert.equal(size.limit, 40);
    size.refuse(40, false);
    assert.equal(size.limit, 1);
    clock.advanceNow(299_999);
    assert.equal(size.limit, 1);
    clock.advanceNow(1);
    assert.equal(size.limit, 100);
  });
});
