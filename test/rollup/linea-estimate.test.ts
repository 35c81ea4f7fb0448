import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ChainError } from '../../src/chain/errors.ts';
import type { BlockReference, CallObject, CallRequest } from '../../src/chain/requests.ts';
import { linea } from '../../src/rollup/families/linea.ts';
import type { GasEstimate } from '../../src/rollup/rollup-family.ts';
import {
  type Asked,
  createScriptedChain,
  makeHeader,
  makeSources,
  PINNED_HASH,
  SCOPE,
  type Script,
} from './scripted-chain.ts';

const FROM = '0x52908400098527886e0f7030069857d2e4169ee7';
const TO = '0x8617e340b3d01fa5f11f306f4090fd50e238070d';
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const PENDING: BlockReference = { kind: 'tag', tag: 'pending' };
const BY_PINNED_HASH: BlockReference = { kind: 'hash', hash: PINNED_HASH, requireCanonical: false };
const EXAMPLE: Script = { headers: { latest: makeHeader() }, estimate: () => '"0xcf08"' };

/** Requests except for the native method, which these chains lack. */
const otherThanNative = ({ requests }: Asked): Asked['requests'] =>
  requests.filter(({ method }) => method !== 'linea_estimateGas');

function prepare(script: Script) {
  const { chain, requested } = createScriptedChain({ ...EXAMPLE, ...script });
  const family = linea.create(makeSources(chain));
  const estimate = (call: CallObject, rest: Partial<CallRequest> = {}): Promise<GasEstimate> =>
    family.estimateGas({ call, block: LATEST, ...rest }, SCOPE);
  return { requested, chain, estimate };
}

test('a transfer of one ether has the published estimate (96 bytes compressed)', async () => {
  const { estimate } = prepare({});
  assert.deepEqual(await estimate({ from: FROM, to: TO, value: '0xde0b6b3a7640000' }), {
    gasLimit: 0xcf08n,
    baseFeePerGas: 7n,
    priorityFeePerGas: 0x43a82a4n,
  });
});

test('everything is read at one block, pinned by its hash', async () => {
  const { estimate, requested } = prepare({ requests: { eth_getTransactionCount: '"0x5"' } });
  const overrides = { [FROM]: { balance: '0x1' } };
  await estimate({ from: FROM, to: TO }, { stateOverrides: overrides });
  assert.deepEqual(requested.headers, ['latest']);
  assert.deepEqual(requested.estimates, [
    { call: { from: FROM, to: TO }, block: BY_PINNED_HASH, stateOverrides: overrides },
  ]);
  assert.deepEqual(otherThanNative(requested), [
    {
      method: 'eth_getTransactionCount',
      params: [FROM, { blockHash: PINNED_HASH, requireCanonical: false }],
    },
  ]);
});

test('a reference by hash is passed on unchanged', async () => {
  const block: BlockReference = { kind: 'hash', hash: PINNED_HASH, requireCanonical: true };
  const { estimate, requested } = prepare({ headers: { [PINNED_HASH]: makeHeader() } });
  await estimate({}, { block });
  assert.deepEqual(requested.estimates[0]?.block, block);
});

test('pending: the pending header is used', async () => {
  const { hash: _, ...pending } = makeHeader({ number: 101n, baseFeePerGas: 9n });
  const { estimate, requested } = prepare({ headers: { latest: makeHeader(), pending } });
  const { baseFeePerGas } = await estimate({ from: FROM }, { block: PENDING });
  assert.equal(baseFeePerGas, 9n);
  assert.deepEqual(requested.estimates[0]?.block, PENDING);
  assert.deepEqual(otherThanNative(requested)[0]?.params, [FROM, 'pending']);
});

test('pending: the latest header is used if the chain builds no pending block', async () => {
  const { estimate, requested } = prepare({});
  await estimate({}, { block: PENDING });
  assert.deepEqual(requested.headers, ['pending', 'latest']);
  assert.deepEqual(requested.estimates[0]?.block, PENDING);
});

test('an unknown block is refused', async () => {
  const { estimate, requested } = prepare({});
  const block: BlockReference = { kind: 'number', number: 10_000n };
  await assert.rejects(estimate({}, { block }), new ChainError('failed', 'header not found'));
  assert.deepEqual(requested.headers, ['10000']);
});

test('a block without a base fee is refused, unless an override sets one', async () => {
  const { baseFeePerGas: _, ...old } = makeHeader();
  const { estimate } = prepare({ headers: { latest: old } });
  await assert.rejects(estimate({}), new ChainError('failed', 'Not on a baseFee market'));
  const estimated = await estimate({}, { blockOverrides: { baseFeePerGas: '0x1f' } });
  assert.equal(estimated.baseFeePerGas, 31n);
});

test('a revert inside the estimate is returned unchanged', async () => {
  const revert = new ChainError('reverted', 'execution reverted: no', '0x08c379a0');
  const { estimate } = prepare({
    estimate: () => {
      throw revert;
    },
  });
  await assert.rejects(estimate({}), (error) => error === revert);
});

test('blob transactions are refused before any request', async () => {
  const { estimate, requested } = prepare({});
  await assert.rejects(estimate({ type: '0x3' }), new ChainError('invalid', 'Unsupported transaction type'));
  assert.deepEqual(requested.headers, []);
});

test('a nonce that is provided or overridden, or without a sender, is not requested', async () => {
  const { estimate, requested } = prepare({});
  await estimate({ from: FROM, nonce: '0x1' });
  await estimate({});
  await estimate(
    { from: FROM.toUpperCase().replace('X', 'x') },
    { stateOverrides: { [FROM]: { nonce: '0x2' } } },
  );
  assert.deepEqual(otherThanNative(requested), []);
});

test('the nonce counts towards the size of the transaction', async () => {
  // The transaction takes 54 bytes with a nonce of 0, 62 with the longest; two field elements hold 60.
  const call: CallObject = { from: FROM, to: TO, gasPrice: '0x7' };
  const small = prepare({ requests: { eth_getTransactionCount: '"0x0"' } });
  const large = prepare({ requests: { eth_getTransactionCount: '"0xffffffffffffffff"' } });
  const low = await small.estimate(call);
  const high = await large.estimate(call);
  assert.ok(high.priorityFeePerGas > low.priorityFeePerGas, `${high.priorityFeePerGas}`);
});

test('answers that are not quantities are errors', async () => {
  const nonce = prepare({ requests: { eth_getTransactionCount: 'null' } });
  await assert.rejects(
    nonce.estimate({ from: FROM }),
    new ChainError('failed', 'Unable to query sender nonce'),
  );
  for (const answer of ['{}', '"0x"', '"cf08"', '"0x10000000000000000"', 'nonsense']) {
    const { estimate } = prepare({ estimate: () => answer });
    await assert.rejects(estimate({}), new ChainError('failed', 'gas estimate is not a quantity'), answer);
  }
  const zero = prepare({ estimate: () => '"0x0"' });
  await assert.rejects(zero.estimate({}), new ChainError('failed', 'gas estimate is zero'));
});

test('without prices in the header, the fee follows from the gas price', async () => {
  const headers = { latest: makeHeader({ extraData: '0x' }) };
  const { estimate } = prepare({ headers, requests: { eth_gasPrice: '"0x3938700"' } });
  assert.equal((await estimate({})).priorityFeePerGas, 71_999_992n);
});

test('without any price, the estimate fails instead of having a fee of zero', async () => {
  const message = 'no Linea pricing in extraData of block 100 and no usable gas price';
  const headers = { latest: makeHeader({ extraData: '0x02' }) };
  for (const requests of [{}, { eth_gasPrice: '"0x7"' }, { eth_gasPrice: 'null' }]) {
    const { estimate } = prepare({ headers, requests });
    await assert.rejects(estimate({}), new ChainError('failed', message));
  }
});

test('more data never costs less at the same gas limit', async () => {
  const { estimate } = prepare({});
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 5000 }), fc.nat({ max: 500 }), async (length, more) => {
      const short = await estimate({ to: TO, data: `0x${'11'.repeat(length)}` });
      const long = await estimate({ to: TO, data: `0x${'11'.repeat(length + more)}` });
      assert.ok(long.priorityFeePerGas >= short.priorityFeePerGas);
    }),
  );
});

const NATIVE = '{"baseFeePerGas":"0x7","gasLimit":"0xcf08","priorityFeePerGas":"0x43a82a4"}';

test('linea_estimateGas of the node is used, with the state overrides', async () => {
  const { estimate, requested } = prepare({ requests: { linea_estimateGas: NATIVE } });
  const stateOverrides = { [FROM]: { balance: '0x1' } };
  const expected = { gasLimit: 0xcf08n, baseFeePerGas: 7n, priorityFeePerGas: 0x43a82a4n };
  assert.deepEqual(await estimate({ from: FROM }), expected);
  assert.deepEqual(await estimate({ from: FROM }, { block: PENDING, stateOverrides }), expected);
  assert.deepEqual(requested.requests, [
    { method: 'linea_estimateGas', params: [{ from: FROM }] },
    { method: 'linea_estimateGas', params: [{ from: FROM }, stateOverrides] },
  ]);
  assert.deepEqual(requested.estimates, []);
});

test('other blocks and block overrides are estimated without linea_estimateGas', async () => {
  const { estimate, requested } = prepare({
    headers: { latest: makeHeader(), finalized: makeHeader({ number: 90n }) },
    requests: { linea_estimateGas: NATIVE.replace('0xcf08', '0x1') },
  });
  assert.equal((await estimate({}, { block: { kind: 'tag', tag: 'finalized' } })).gasLimit, 0xcf08n);
  assert.equal((await estimate({}, { blockOverrides: { baseFeePerGas: '0x9' } })).baseFeePerGas, 9n);
  assert.deepEqual(requested.requests, []);
});

test('a refusal of linea_estimateGas is returned, and a malformed answer is an error', async () => {
  const limit = new ChainError('failed', 'Transaction line count for module HUB=3 is above the limit 2');
  const refusing = prepare({});
  refusing.chain.request = async () => {
    throw limit;
  };
  await assert.rejects(refusing.estimate({}), (error) => error === limit);
  const { estimate } = prepare({ requests: { linea_estimateGas: '{"gasLimit":"0x1"}' } });
  await assert.rejects(
    estimate({}),
    new ChainError('failed', 'the answer of linea_estimateGas is not an estimate'),
  );
});
