/** The short form of `npm run check -- geth`: only intended differences from geth exist. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { countRuns } from '../support/count-runs.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';
import { compare, describeFailure } from './comparison.ts';
import { buildAmsterdamChain } from './node/amsterdam-chain.ts';
import { EVM_SKIP, GETH_SKIP } from './node/geth-program.ts';
import { readGethFacts } from './read-geth-facts.ts';
import { explain } from './report/differences.ts';
import { readOutcome } from './report/outcome.ts';
import { shrinkRequest } from './report/shrink.ts';
import type { GeneratedRequest } from './requests/generators.ts';
import { executionApisChain, openSides, ROUTES, type Sides } from './sides.ts';

const REQUESTS: number = countRuns(500);
const AMSTERDAM_REQUESTS: number = countRuns(90);
const SEED = 1;
const vectors = findVectors('execution-apis');

describe('comparison with geth', { skip: vectors === undefined ? SKIP_REASON : GETH_SKIP }, () => {
  let sides: Sides;
  before(async () => {
    sides = await openSides(executionApisChain(vectors as string));
  });
  after(() => sides.close());

  test(`${REQUESTS} generated requests get the same answers on each of three routes`, async () => {
    const { accounts } = executionApisChain(vectors as string);
    const facts = await readGethFacts(sides, accounts);
    const { failures } = await compare(sides, facts, { requests: REQUESTS, seed: SEED });
    assert.equal(failures.map((failure) => describeFailure(failure, SEED)).join('\n'), '');
    assert.deepEqual(sides.errors, []);
  });

  test('an authorization whose parity has more than 8 bits is refused on every route, although geth executes it', async () => {
    const word = `0x${'1'.repeat(62)}`;
    const target = `0x${'c'.repeat(40)}`;
    const listed = { chainId: '0x0', address: target, nonce: '0x0', r: word, s: word };
    const request = (yParity: string): GeneratedRequest => ({
      method: 'eth_call',
      params: [{ to: target, authorizationList: [{ ...listed, yParity }] }, 'latest'],
    });
    for (const route of ROUTES) {
      const ours = await sides.askService(request('0x100'), route);
      const geth = await sides.askGeth(request('0x100'));
      assert.match(ours, /hex number > 8 bits$/);
      assert.equal(geth, 'result "0x"');
      assert.ok(explain(request('0x100'), route, ours, geth) !== undefined);
      assert.equal(await sides.askService(request('0xff'), route), await sides.askGeth(request('0xff')));
    }
  });

  test("a creation by a sender with the maximum nonce fails with geth's error on every route", async () => {
    const from = `0x${'a'.repeat(40)}`;
    const overrides = { [from]: { nonce: '0xffffffffffffffff' } };
    const create = { from, input: '0x00', gas: '0x1c9c380' };
    const blockStateCalls = [{ stateOverrides: overrides, calls: [{ ...create, gas: '0x100000' }, create] }];
    const requests: readonly GeneratedRequest[] = [
      { method: 'eth_simulateV1', params: [{ blockStateCalls }, 'latest'] },
      ...['eth_call', 'eth_estimateGas', 'eth_createAccessList'].map((method) => ({
        method,
        params: [create, 'latest', overrides],
      })),
    ];
    for (const request of requests) {
      const geth = await sides.askGeth(request);
      assert.match(geth, /nonce uint64 overflow/);
      for (const route of ROUTES) assert.equal(await sides.askService(request, route), geth, route);
    }
  });
});

test('generated requests on a chain across the Amsterdam fork get the same answers as from geth', {
  skip: GETH_SKIP || EVM_SKIP,
}, async (t) => {
  const folder = makeTemporaryFolder();
  t.after(() => folder.remove());
  const files = await buildAmsterdamChain(folder.path);
  const sides = await openSides(files);
  t.after(() => sides.close());
  const facts = await readGethFacts(sides, files.accounts);
  const { failures } = await compare(sides, facts, { requests: AMSTERDAM_REQUESTS, seed: SEED });
  assert.equal(failures.map((failure) => describeFailure(failure, SEED)).join('\n'), '');
  assert.deepEqual(sides.errors, []);
});

test('readOutcome ignores the order of members, and includes code, message and data of errors', () => {
  assert.equal(readOutcome('{"result":{"b":[{"d":1,"c":2}],"a":0}}'), 'result {"a":0,"b":[{"c":2,"d":1}]}');
  const failed = '{"error":{"code":3,"message":"execution reverted","data":"0x01"}}';
  assert.equal(readOutcome(failed), 'error 3 execution reverted "0x01"');
  assert.throws(() => readOutcome('{"id":1}'), /neither result nor error/);
  assert.throws(() => readOutcome('<html>'), /not JSON/);
});

test('a known difference applies only to its method, parameters and outcomes', () => {
  const request = { method: 'eth_getBlockReceipts', params: ['safe'] };
  const refused = 'error -32602 invalid argument 0: the tag safe is not supported';
  assert.ok(explain(request, 'embedded', refused, 'result []') !== undefined);
  assert.equal(explain({ ...request, params: ['0x1'] }, 'embedded', refused, 'result []'), undefined);
  assert.equal(explain(request, 'embedded', 'result null', 'result []'), undefined);
  assert.equal(explain({ ...request, method: 'eth_call' }, 'embedded', refused, 'result []'), undefined);
  assert.equal(explain(request, 'embedded', 'error -32000 a', 'error -32000 b'), undefined);
});

test('in eth_feeHistory only the first blob price of Cancun may differ', () => {
  const request = { method: 'eth_feeHistory', params: ['0x4', 'latest', []] };
  const history = (prices: readonly string[], base = '0x7'): string =>
    `result ${JSON.stringify({ baseFeePerBlobGas: prices, baseFeePerGas: [base] })}`;
  const ours = history(['0x0', '0x0', '0x1', '0x1']);
  const allows = (geth: string): boolean => explain(request, 'HTTP node', ours, geth) !== undefined;
  assert.ok(allows(history(['0x0', '0x0', '0x0', '0x1'])));
  assert.ok(!allows(history(['0x0', '0x0', '0x0', '0x1'], '0x8')));
  assert.ok(!allows(history(['0x0', '0x0', '0x1'])));
  assert.ok(!allows(history(['0x0', '0x0', '0x2', '0x1'])));
});

test('in eth_fillTransaction only a suggested tip may differ', () => {
  const request = { method: 'eth_fillTransaction', params: [{ value: '0x1' }] };
  const filled = (
    tip: string,
    value = '0x1',
    maxFeePerGas = `0x${(100n + BigInt(tip)).toString(16)}`,
  ): string =>
    `result ${JSON.stringify({ raw: `0x02${tip.slice(2)}`, tx: { hash: `${tip}aa`, maxFeePerGas, maxPriorityFeePerGas: tip, value } })}`;
  assert.ok(explain(request, 'embedded', filled('0x1'), filled('0x2')) !== undefined);
  assert.equal(explain(request, 'embedded', filled('0x1'), filled('0x2', '0x2')), undefined);
  assert.equal(explain(request, 'embedded', filled('0x1'), filled('0x2', '0x1', '0x67')), undefined);
  const provided = { ...request, params: [{ maxPriorityFeePerGas: '0x1' }] };
  assert.equal(explain(provided, 'embedded', filled('0x1'), filled('0x2')), undefined);
});

test('in a simulation on the pending block of a node only the timestamp may differ', () => {
  const request = { method: 'eth_simulateV1', params: [{}, 'pending'] };
  const simulated = (timestamp: string, gasUsed = '0x1'): string =>
    `result ${JSON.stringify([{ calls: [], gasUsed, hash: `${timestamp}ab`, timestamp }])}`;
  assert.ok(explain(request, 'HTTP node', simulated('0x1'), simulated('0x2')) !== undefined);
  assert.equal(explain(request, 'HTTP node', simulated('0x1'), simulated('0x2', '0x2')), undefined);
  const latest = { ...request, params: [{}, 'latest'] };
  assert.equal(explain(latest, 'HTTP node', simulated('0x1'), simulated('0x2')), undefined);
});

test("at pending geth's error may name the number of its own pending block, and no other", () => {
  const request = { method: 'eth_simulateV1', params: [{ blockOverrides: { number: '0x37' } }, 'pending'] };
  const ours = 'error -38021 block timestamps must be in order: 3 <= 540';
  const refused = (number: number): string => `error -38020 block numbers must be in order: ${number} <= 55`;
  assert.ok(explain(request, 'embedded', ours, refused(55)) !== undefined);
  assert.equal(explain(request, 'embedded', ours, refused(54)), undefined);
  assert.equal(explain(request, 'HTTP node', ours, refused(55)), undefined);
});

test('shrinkRequest reduces a failing request to its minimum', async () => {
  const fails = async ({ params }: GeneratedRequest): Promise<boolean> =>
    JSON.stringify(params).includes('gas') && params.length > 1;
  const request = {
    method: 'm',
    params: [{ to: '0x00', data: '0x0011223344', gas: '0x1234' }, 'latest', { a: {} }],
  };
  const { params } = await shrinkRequest(request, fails);
  assert.deepEqual(params, [{ gas: '0x0' }, 'latest']);
});
