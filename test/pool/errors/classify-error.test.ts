import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeRevertReason } from '../../../packages/ethereum/primitives/revert-reason.ts';
import { classifyError } from '../../../src/pool/errors/classify-error.ts';
import { isAnswer, type Verdict } from '../../../src/pool/errors/verdict.ts';
import { readCases } from './fixtures.ts';

const CASES = readCases();

for (const client of new Set(CASES.map((item) => `${item.client} ${item.version}`))) {
  test(`errors of ${client} are classified as expected`, () => {
    for (const { method, situation, error, expect, ...item } of CASES) {
      if (`${item.client} ${item.version}` !== client) continue;
      assert.deepEqual(classifyError(error, method), expect, `${method}: ${situation}`);
    }
  });
}

test('each kind of verdict has a case, and each case has a source', () => {
  assert.deepEqual([...new Set(CASES.map(({ expect }) => expect.kind))].toSorted(), [
    'failed',
    'invalid',
    'missing',
    'pruned',
    'rateLimited',
    'reverted',
    'timeout',
    'unauthorized',
    'unknown',
    'unsupported',
  ]);
  for (const { source, situation } of CASES) assert.ok(source.length > 3, situation);
});

test('reverts, failures and invalid requests are answers, other errors are not', () => {
  const answers: readonly Verdict['kind'][] = ['reverted', 'failed', 'invalid'];
  for (const { expect } of CASES) assert.equal(isAnswer(expect), answers.includes(expect.kind), expect.kind);
});

test('errors of methods that execute nothing are neither reverts nor failures', () => {
  const reads = [
    'eth_getBlockReceipts',
    'eth_getTransactionByBlockNumberAndIndex',
    'eth_getUncleByBlockNumberAndIndex',
    'eth_getBlockByNumber',
    'eth_getLogs',
  ];
  for (const method of reads) {
    for (const { error } of CASES) {
      const { kind } = classifyError(error, method);
      assert.ok(kind !== 'reverted' && kind !== 'failed', `${method}: ${error.message}`);
    }
  }
});

test('a revert reason reported only in words reaches the client as Error(string)', () => {
  const verdict = classifyError(
    { code: -32015, message: 'VM execution error.', data: 'revert: not today' },
    'eth_estimateGas',
  );
  assert.ok(verdict.kind === 'reverted');
  assert.equal(decodeRevertReason(verdict.data), 'not today');
});

test('explicitly empty revert data is not replaced by words of the message', () => {
  const verdict = classifyError({ code: 3, message: 'execution reverted: revert', data: '0x' }, 'eth_call');
  assert.deepEqual(verdict, { kind: 'reverted', data: '0x' });
});

test('a reverted system call is a failure of the simulated block, not a revert of the caller', () => {
  const message = 'failed to process withdrawal queue: system call failed to execute: execution reverted';
  const verdict = classifyError({ code: -32000, message, data: undefined }, 'eth_simulateV1');
  assert.deepEqual(verdict, { kind: 'failed', message });
  const reason = { code: -32000, message: `relay: execution reverted: ${message}`, data: undefined };
  assert.equal(classifyError(reason, 'eth_call').kind, 'reverted');
});

test('revert data is recognised with any code and any message', () => {
  const data = `0x82b42900${'00'.repeat(32)}`;
  for (const code of [-32000, -32603, -32602, -32005, 429, 1]) {
    const verdict = classifyError({ code, message: 'too many requests', data }, 'eth_call');
    assert.deepEqual(verdict, { kind: 'reverted', data });
  }
});

test('data that is not revert data does not make an error a revert', () => {
  const noData: readonly unknown[] = [
    undefined,
    null,
    7,
    '',
    '0x',
    'text',
    '0x123',
    `0x${'11'.repeat(32)}`,
    '0x82b4290000',
    [],
    {},
    { data: null },
    { data: '0x' },
    { data: { data: '0x82b42900' } },
    { rate: { backoff_seconds: 1 } },
  ];
  for (const data of noData) {
    assert.deepEqual(
      classifyError({ code: -32000, message: 'header not found', data }, 'eth_call'),
      { kind: 'missing', message: 'header not found' },
      JSON.stringify(data),
    );
  }
});

test('upper-case hex in revert data becomes lower-case', () => {
  const verdict = classifyError({ code: 3, message: 'execution reverted', data: '0XDEADBEEF' }, 'eth_call');
  assert.deepEqual(verdict, { kind: 'reverted', data: '0xdeadbeef' });
});

test('megabytes of revert data are returned unchanged, in any shape', () => {
  const data = `0x${'ab'.repeat(4_000_000)}`;
  const vmError = { code: -32015, message: 'VM execution error.' };
  const errors = [
    { code: 3, message: 'execution reverted', data },
    { ...vmError, data: `Reverted ${data}` },
    { ...vmError, data: `err: ${data} (supplied gas 36000000)` },
    { code: -32603, message: 'VM Exception while processing transaction: revert', data: { data } },
  ];
  for (const error of errors) {
    const verdict = classifyError(error, 'eth_call');
    assert.ok(verdict.kind === 'reverted' && verdict.data === data, error.message);
  }
});

test('messages are cut before they are classified', () => {
  const message = `out of gas ${'x '.repeat(1_000_000)}`;
  const verdict = classifyError({ code: -32000, message, data: undefined }, 'eth_call');
  assert.ok(verdict.kind === 'failed');
  assert.ok(verdict.message.length <= 4_000 && verdict.message.endsWith(' …'));
});

test('revert reasons are not cut, as bytes or as words', () => {
  const reason = 'a long reason, '.repeat(4_000);
  const errors = [
    { code: 3, message: `execution reverted: ${reason}`, data: undefined },
    { code: -32000, message: `execution reverted: ${reason}`, data: undefined },
    { code: -32000, message: `Execution reverted (${reason})`, data: undefined },
    { code: -32603, message: `VM Exception while processing transaction: revert ${reason}`, data: {} },
    { code: -32015, message: 'VM execution error.', data: `revert: ${reason}` },
    { code: -32015, message: 'VM execution error.', data: `err: ${reason} (supplied gas 36000000)` },
  ];
  for (const error of errors) {
    const verdict = classifyError(error, 'eth_call');
    assert.ok(verdict.kind === 'reverted', error.message.slice(0, 50));
    assert.equal(
      Buffer.from(verdict.data.slice(2 + 8 + 128), 'hex')
        .toString()
        .replace(/\0+$/, ''),
      reason,
      error.message.slice(0, 50),
    );
  }
});

test('an unknown error is returned unchanged', () => {
  assert.deepEqual(classifyError({ code: -1, message: 'what?', data: { a: 1 } }, 'eth_call'), {
    kind: 'unknown',
    code: -1,
    message: 'what?',
  });
});

test('the requested backoff of a rate limit is read in every form', () => {
  const pauses: readonly (readonly [unknown, string, number | undefined])[] = [
    [{ rate: { backoff_seconds: 30 } }, 'slow down', 30_000],
    [{ backoff_seconds: 1.5 }, 'slow down', 1_500],
    [{ backoff_seconds: '2' }, 'slow down', 2_000],
    [{ try_again_in: '250ms' }, 'slow down', 250],
    [{ try_again_in: '1m' }, 'slow down', 60_000],
    [undefined, 'rate limit reached, try again in 10 seconds', 10_000],
    [undefined, 'rate limit reached, retry after 3', 3_000],
    [{ backoff_seconds: 0 }, 'slow down', undefined],
    [{ backoff_seconds: -5 }, 'slow down', undefined],
    [{ backoff_seconds: 1e9 }, 'slow down', undefined],
    [{ backoff_seconds: 99_999_999 }, 'slow down', 3_600_000],
    [{ backoff_seconds: Number.NaN }, 'slow down', undefined],
    ['soon', 'slow down', undefined],
  ];
  for (const [data, message, retryAfterMs] of pauses) {
    assert.deepEqual(
      classifyError({ code: -32005, message, data }, 'eth_call'),
      retryAfterMs === undefined ? { kind: 'rateLimited' } : { kind: 'rateLimited', retryAfterMs },
      JSON.stringify(data),
    );
  }
});
