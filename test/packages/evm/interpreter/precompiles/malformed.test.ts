import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Precompile,
  UNAFFORDABLE,
} from '../../../../../packages/evm/interpreter/precompiles/precompile.ts';
import { createPrecompiles } from '../../../../../packages/evm/interpreter/precompiles/precompiles.ts';
import { rulesOf } from '../../../../../packages/evm/interpreter/revisions/revisions.ts';
import { createNodeCryptography } from '../../../../../src/engine/node-cryptography.ts';
import { countRuns } from '../../../../support/count-runs.ts';
import { VALID_INPUTS } from './inputs.ts';

const OSAKA = createPrecompiles(createNodeCryptography()).of(rulesOf('osaka'));
const GAS_LIMIT = 1_000_000;

/** Checks that gas and output are well-formed, whatever the input. */
function check(precompile: Precompile, input: Uint8Array): void {
  const gas = precompile.gas(input);
  assert.ok(Number.isSafeInteger(gas) && gas >= 0 && gas <= UNAFFORDABLE, `${precompile.name}: gas ${gas}`);
  if (gas > GAS_LIMIT) return;
  const output = precompile.run(input);
  if (output === undefined) return;
  assert.equal(Object.getPrototypeOf(output), Uint8Array.prototype, precompile.name);
  if (output.length > 0)
    assert.notEqual(output.buffer, input.buffer, `${precompile.name} hands its input out`);
}

for (const [address, precompile] of OSAKA) {
  const valid = VALID_INPUTS.get(address) as Uint8Array;

  test(`${precompile.name} accepts or refuses input of any length`, () => {
    for (let length = 0; length <= valid.length + 1; length += valid.length > 300 ? 7 : 1) {
      const input = new Uint8Array(length);
      input.set(valid.subarray(0, length));
      check(precompile, input);
      check(precompile, new Uint8Array(length).fill(255));
    }
  });

  test(`${precompile.name} accepts or refuses any bytes`, () => {
    const sizes = fc.constantFrom(0, 1, 64, 128, 160, 192, 213, 256, 288, 384, 512, 768, 1000);
    const bytes = sizes.chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
    fc.assert(
      fc.property(bytes, (input) => check(precompile, input)),
      { numRuns: countRuns(60) },
    );
  });

  test(`${precompile.name} has the same result from inside a larger buffer, and when repeated`, () => {
    const surroundings = new Uint8Array(valid.length + 64).fill(0xee);
    surroundings.set(valid, 32);
    const inside = surroundings.subarray(32, 32 + valid.length);
    const expected = precompile.run(valid);
    assert.ok(expected !== undefined);
    assert.deepEqual(precompile.run(inside), expected);
    assert.deepEqual(precompile.run(valid), expected);
    assert.equal(precompile.gas(inside), precompile.gas(valid));
  });
}
