import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Health } from '../../src/pool/health.ts';

function createHealth(): { readonly health: Health; readonly pass: (ms: number) => void } {
  let now = 1_000;
  const health = new Health(() => now);
  const pass = (ms: number): void => {
    now += ms;
  };
  return { health, pass };
}

function failUntilOpen(health: Health): void {
  while (health.circuit !== 'open') health.fail(1);
}

describe('circuit of a node', () => {
  it('opens with the fifth consecutive fault, and reports it once', () => {
    const { health } = createHealth();
    const opened = Array.from({ length: 8 }, () => health.fail(1));
    assert.deepEqual(opened, [false, false, false, false, true, false, false, false]);
    assert.equal(health.circuit, 'open');
  });

  it('opens when more than half of the calls fail without five consecutive faults', () => {
    const { health } = createHealth();
    let calls = 0;
    while (health.circuit === 'closed' && calls < 200) {
      if (calls++ % 4 === 0) health.succeed(1);
      else health.fail(1);
    }
    assert.equal(health.circuit, 'open');
    assert.ok(calls >= 15);
    const { health: better } = createHealth();
    for (let i = 0; i < 200; i++) {
      if (i % 3 === 0) better.fail(1);
      else better.succeed(1);
    }
    assert.equal(better.circuit, 'closed');
  });

  it('is half open after the backoff, closes with an answer, and opens for longer with a fault', () => {
    const { health, pass } = createHealth();
    failUntilOpen(health);
    pass(499);
    assert.equal(health.circuit, 'open');
    pass(1);
    assert.equal(health.circuit, 'halfOpen');
    assert.equal(health.fail(1), false);
    pass(999);
    assert.equal(health.circuit, 'open');
    pass(1);
    assert.equal(health.circuit, 'halfOpen');
    health.succeed(1);
    assert.equal(health.circuit, 'closed');
    failUntilOpen(health);
    pass(500);
    assert.equal(health.circuit, 'halfOpen');
  });

  it('never backs off for more than 15 s', () => {
    const { health, pass } = createHealth();
    failUntilOpen(health);
    for (let i = 0; i < 40; i++) {
      pass(15_000);
      assert.equal(health.circuit, 'halfOpen');
      health.fail(1);
      assert.equal(health.circuit, 'open');
    }
  });

  it('does not extend the backoff for faults of calls in flight', () => {
    const { health, pass } = createHealth();
    failUntilOpen(health);
    for (let i = 0; i < 10; i++) health.fail(1);
    pass(500);
    assert.equal(health.circuit, 'halfOpen');
  });

  it('is half open at once when the node was seen to be healthy', () => {
    const { health } = createHealth();
    failUntilOpen(health);
    health.encourage();
    assert.equal(health.circuit, 'halfOpen');
    const { health: closed } = createHealth();
    closed.encourage();
    assert.equal(closed.circuit, 'closed');
  });

  it('opens with the third consecutive call that other nodes answered, until the node answers one', () => {
    const { health, pass } = createHealth();
    const lag = (times: number): void => {
      for (let i = 0; i < times; i++) health.lag(1_000);
    };
    lag(2);
    health.succeed(1);
    lag(2);
    assert.equal(health.circuit, 'closed');
    lag(1);
    assert.equal(health.circuit, 'open');
    pass(3_600_000);
    assert.equal(health.circuit, 'open', 'time alone says nothing');
    health.succeed(1);
    assert.equal(health.circuit, 'closed');
  });

  it('probes a silent node at increasing intervals, one probe at a time', () => {
    const { health, pass } = createHealth();
    const { silence } = health;
    for (let i = 0; i < 3; i++) health.lag(1_000);
    const pauses: number[] = [];
    assert.equal(silence.takeProbe(), true);
    for (let i = 0; i < 8; i++) {
      assert.equal(silence.takeProbe(), false);
      assert.equal(silence.endProbe(), i === 0, 'the first without an answer is reported');
      let pause = 0;
      for (; !silence.takeProbe(); pause += 500) pass(500);
      pauses.push(pause);
    }
    assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  it('neither opens nor closes when the node is overtaken once', () => {
    const { health, pass } = createHealth();
    failUntilOpen(health);
    pass(500);
    health.lag(1);
    assert.equal(health.circuit, 'halfOpen');
  });
});

describe('rate limit of a node', () => {
  it('keeps a longer pause when a shorter one is requested later', () => {
    const { health, pass } = createHealth();
    health.pause(5_000);
    health.pause(100);
    assert.equal(health.pauseLeftMs, 5_000);
    pass(5_000);
    assert.equal(health.isPaused, false);
    assert.equal(health.pauseLeftMs, 0);
  });
});

describe('score of a node', () => {
  it('is better for lower latency, fewer faults and fewer calls in flight', () => {
    const [slow, faulty, busy, good] = Array.from({ length: 4 }, () => createHealth().health);
    if (!slow || !faulty || !busy || !good) assert.fail();
    for (const health of [faulty, busy, good]) health.succeed(10);
    slow.succeed(100);
    faulty.fail(10);
    busy.inFlight = 2;
    for (const worse of [slow, faulty, busy]) assert.ok(good.score < worse.score);
  });

  it('decays, so that slow or faulty nodes are tried again', () => {
    const { health, pass } = createHealth();
    health.succeed(1_000);
    health.fail(1_000);
    const { latencyMs, errorRate, score } = health;
    pass(10_000);
    assert.ok(health.latencyMs < latencyMs);
    assert.ok(health.errorRate < errorRate);
    pass(600_000);
    assert.ok(health.score < score / 1_000);
  });

  it('reports averages over requests of the last minute only, without imaginary calls', () => {
    const { health, pass } = createHealth();
    const read = () => health.measured && [Math.round(health.measured.latencyMs), health.measured.errorRate];
    assert.equal(read(), undefined);
    health.fail(10);
    assert.deepEqual(read(), [10, 1]);
    pass(50_000);
    assert.deepEqual(read(), [10, 1]);
    pass(15_000);
    assert.equal(read(), undefined);
    health.succeed(20);
    assert.ok((read()?.[1] ?? 1) < 0.02);
  });

  it('stays finite', () => {
    const { health, pass } = createHealth();
    for (let i = 0; i < 1_000; i++) {
      health.fail(1e6);
      pass(i % 7 === 0 ? 1e7 : 0);
      assert.ok(Number.isFinite(health.score) && health.score > 0);
    }
  });
});
