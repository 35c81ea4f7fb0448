import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSteadyTime } from '../../src/util/steady-time.ts';

const START = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

/** A machine whose wall clock can be set. */
class Machine {
  #passed = 0;
  #set = 0;
  readonly time: () => number = createSteadyTime(
    () => START + this.#passed + this.#set,
    () => this.#passed,
  );

  pass(ms: number): void {
    this.#passed += ms;
  }

  set(ms: number): void {
    this.#set += ms;
  }
}

for (const [name, jump] of [
  ['an hour ahead', HOUR_MS],
  ['a hundred years ahead', 876_000 * HOUR_MS],
  ['two days back', -48 * HOUR_MS],
  ['two seconds ahead', 2_000],
] as const) {
  test(`a wall clock that is ${name} for a moment is not followed`, () => {
    const machine = new Machine();
    assert.equal(machine.time(), START);
    machine.set(jump);
    for (let i = 1; i <= 5; i++) {
      machine.pass(60_000);
      assert.equal(machine.time(), START + i * 60_000);
    }
    machine.set(-jump);
    machine.pass(1_000);
    assert.equal(machine.time(), START + 301_000);
    // Each jump starts a new wait.
    machine.set(jump);
    machine.pass(1_000);
    assert.equal(machine.time(), START + 302_000);
    machine.pass(9 * 60_000);
    assert.equal(machine.time(), START + 302_000 + 9 * 60_000);
  });

  test(`a wall clock that stays ${name} is followed after ten minutes`, () => {
    const machine = new Machine();
    machine.set(jump);
    assert.equal(machine.time(), START);
    machine.pass(600_000);
    assert.equal(machine.time(), START + 600_000 + jump);
    machine.pass(1);
    assert.equal(machine.time(), START + 600_001 + jump);
  });
}

test('a wall clock that is corrected in small steps is followed', () => {
  const machine = new Machine();
  for (let i = 1; i <= 100; i++) {
    machine.pass(10_000);
    machine.set(i % 2 === 0 ? -900 : 900);
    assert.equal(machine.time(), START + i * 10_000 + (i % 2) * 900);
  }
});
