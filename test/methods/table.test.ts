import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METHOD_NAMES } from '../../src/methods/method-names.ts';
import { findMethod, METHODS } from '../../src/methods/table.ts';
import { parseParams } from '../../src/rpc/method.ts';
import { createScriptedNetwork, createScriptedRollup, ScriptedChain } from '../gateway/scripted-network.ts';

test('the seven methods of the service are there, and no name twice', () => {
  const names = METHODS.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 7), [
    'eth_getUncleByBlockNumberAndIndex',
    'eth_estimateGas',
    'eth_getTransactionByBlockNumberAndIndex',
    'eth_getBlockReceipts',
    'eth_call',
    'l2_estimateGas',
    'rollup_getInfo',
  ]);
  assert.equal(new Set(names).size, names.length);
});

test('a rollup serves its estimate under its own prefix and under l2_', () => {
  const rollup = createScriptedRollup(new ScriptedChain());
  assert.equal(findMethod('linea_estimateGas', rollup)?.name, 'l2_estimateGas');
  assert.equal(findMethod('l2_estimateGas', rollup)?.name, 'l2_estimateGas');
  assert.equal(findMethod('scroll_estimateGas', rollup), undefined);
  const noPrefix = createScriptedNetwork(new ScriptedChain(), {
    rollup: rollup.rollup as NonNullable<typeof rollup.rollup>,
  });
  assert.equal(findMethod('linea_estimateGas', noPrefix), undefined);
  assert.equal(findMethod('undefined_estimateGas', noPrefix), undefined);
});

test('a network that is no rollup has no rollup methods', () => {
  const plain = createScriptedNetwork(new ScriptedChain(), { rollupPrefix: 'linea' });
  for (const name of ['l2_estimateGas', 'linea_estimateGas', 'rollup_getInfo']) {
    assert.equal(findMethod(name, plain), undefined, name);
  }
});

for (const { name, params, result, example, errors } of METHODS) {
  test(`${name}: its example satisfies its own schemas`, () => {
    parseParams(params, example.params);
    const parsed = result.schema.safeParse(example.result);
    assert.deepEqual(parsed.success ? [] : parsed.error.issues, []);
    assert.equal(new Set(errors).size, errors.length);
  });
}

test('the list of names is the table’s', () => {
  assert.deepEqual(
    METHOD_NAMES,
    METHODS.map(({ name }) => name),
  );
});
