import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { METHOD_NAMES } from '../../src/methods/method-names.ts';
import type { Network } from '../../src/methods/network.ts';
import { findMethod, METHODS } from '../../src/methods/table.ts';
import type { RollupFamily } from '../../src/rollup/rollup-family.ts';
import { parseParams } from '../../src/rpc/method.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork, createScriptedRollup, ScriptedChain } from '../gateway/scripted-network.ts';
import { createScriptedChain } from '../rollup/scripted-chain.ts';

test('the table starts with the seven required methods, and has no name twice', () => {
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

test('a rollup of unknown family has the method names of all families, and checks the name once the family is known', async () => {
  let failure: ChainError | undefined = new ChainError('unavailable', 'the rollup family is not known yet');
  const family: RollupFamily = {
    estimateGas: async () => ({ gasLimit: 1n, baseFeePerGas: 2n, priorityFeePerGas: 3n }),
    info: async () => assert.fail(),
    recognise: async () => {
      if (failure !== undefined) throw failure;
    },
  };
  const network: { -readonly [K in keyof Network]: Network[K] } = createScriptedNetwork(new ScriptedChain(), {
    rollup: family,
  });
  const ask = async (name: string): Promise<unknown> => {
    const context = { network, clientVersion: '', scope: new RequestScope(Number.POSITIVE_INFINITY) };
    return findMethod(name, network)?.invoke([{ to: `0x${'0'.repeat(40)}` }], context);
  };
  assert.equal(findMethod('undefined_estimateGas', network), undefined);
  await assert.rejects(ask('linea_estimateGas'), failure);
  failure = undefined;
  // The rollup is recognised now, and the waiting call finds it.
  await assert.rejects(ask('scroll_estimateGas'), { rowName: 'methodNotFound' });
  const early = findMethod('linea_estimateGas', network);
  network.rollupPrefixes = ['linea'];
  const context = { network, clientVersion: '', scope: new RequestScope(Number.POSITIVE_INFINITY) };
  const estimate = '{"gasLimit":"0x1","baseFeePerGas":"0x2","priorityFeePerGas":"0x3"}';
  assert.equal(await early?.invoke([{ to: `0x${'0'.repeat(40)}` }], context), estimate);
  assert.equal(await ask('linea_estimateGas'), estimate);
  assert.equal(findMethod('scroll_estimateGas', network), undefined);
});

test('an estimate method of nodes waits for the family, and is forwarded if the nodes have it', async () => {
  let failure: ChainError | undefined = new ChainError('unavailable', 'the rollup family is not known yet');
  const { rollup } = createScriptedRollup(new ScriptedChain());
  const family = {
    ...(rollup as RollupFamily),
    recognise: async () => {
      if (failure !== undefined) throw failure;
    },
  };
  const { chain } = createScriptedChain({ requests: { zks_estimateFee: '"0x7"' } });
  const network: { -readonly [K in keyof Network]: Network[K] } = createScriptedNetwork(chain, {
    rollup: family,
    hasNodes: true,
  });
  const context = { network, clientVersion: '', scope: new RequestScope(Number.POSITIVE_INFINITY) };
  const find = (): NonNullable<ReturnType<typeof findMethod>> => {
    const method = findMethod('zks_estimateFee', network);
    assert.ok(method !== undefined);
    return method;
  };
  await assert.rejects(async () => find().invoke([], context), failure);
  const early = find();
  failure = undefined;
  network.nodeEstimates = ['zks_estimateFee'];
  assert.equal(await early.invoke([], context), '"0x7"');
  assert.equal(await find().invoke([], context), '"0x7"');
  network.nodeEstimates = ['scroll_estimateL1DataFee'];
  assert.equal(findMethod('zks_estimateFee', network), undefined);
  await assert.rejects(async () => early.invoke([], context), { rowName: 'methodNotFound' });
});

test('a network that is not a rollup has no rollup methods', () => {
  const plain = createScriptedNetwork(new ScriptedChain(), { rollupPrefixes: ['linea'] });
  for (const name of ['l2_estimateGas', 'linea_estimateGas', 'rollup_getInfo']) {
    assert.equal(findMethod(name, plain), undefined, name);
  }
});

for (const { name, params, result, example, errors } of METHODS) {
  test(`the example of ${name} satisfies its own schemas`, () => {
    parseParams(params, example.params);
    const parsed = result.schema.safeParse(example.result);
    assert.deepEqual(parsed.success ? [] : parsed.error.issues, []);
    assert.equal(new Set(errors).size, errors.length);
  });
}

test('METHOD_NAMES equals the names of the table', () => {
  assert.deepEqual(
    METHOD_NAMES,
    METHODS.map(({ name }) => name),
  );
});
