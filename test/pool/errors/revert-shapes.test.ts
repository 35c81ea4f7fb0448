import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeRevertReason } from '../../../packages/ethereum/primitives/revert-reason.ts';
import { classifyError } from '../../../src/pool/errors/classify-error.ts';
import { RULES } from '../../../src/pool/errors/find-rule.ts';
import { encodeErrorString } from '../../../src/pool/errors/revert-data.ts';
import { isAnswer } from '../../../src/pool/errors/verdict.ts';
import type { NodeError } from '../../../src/pool/node-call.ts';
import { countRuns } from '../../support/count-runs.ts';
import { readCases } from './fixtures.ts';

const HASH = `0x${'2f'.repeat(32)}`;
const EXECUTING = [
  'eth_call',
  'eth_estimateGas',
  'linea_estimateGas',
  'eth_createAccessList',
  'debug_traceCall',
];

/** Replaces the half of a character that a cut may have left. */
function toWellFormed(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

/** Reports of a revert with a reason by client, data included. */
const SHAPES_WITH_DATA: Readonly<Record<string, (reason: string, data: string) => NodeError>> = {
  'geth, reth, Erigon, Nitro, op-geth, anvil': (reason, data) => ({
    code: 3,
    message: `execution reverted: ${reason}`,
    data,
  }),
  'zkSync, the bare reason': (reason, data) => ({ code: 3, message: reason, data }),
  Besu: (reason, data) => ({ code: -32000, message: `Execution reverted (${reason})`, data }),
  'Besu 25': (reason, data) => ({ code: 3, message: `Execution reverted (${reason})`, data }),
  'Nethermind 1.36': (reason, data) => ({ code: -32000, message: `execution reverted: ${reason}`, data }),
  'Parity, Nethermind 1.25': (_, data) => ({
    code: -32015,
    message: 'VM execution error.',
    data: `Reverted ${data}`,
  }),
  'Nethermind 1.31, bytes': (_, data) => ({
    code: -32015,
    message: 'VM execution error.',
    data: `err: ${data} (supplied gas 36000000)`,
  }),
  'hardhat 2': (reason, data) => ({
    code: -32603,
    message: `Error: VM Exception while processing transaction: reverted with reason string '${reason}'`,
    data: { message: reason, txHash: HASH, data },
  }),
  'ganache 7': (reason, data) => ({
    code: -32000,
    message: `VM Exception while processing transaction: revert ${reason}`,
    data: { hash: null, programCounter: 1676, result: data, reason, message: 'revert' },
  }),
  'ganache 2': (reason, data) => ({
    code: -32000,
    message: `VM Exception while processing transaction: revert ${reason}`,
    data: {
      [HASH]: { error: 'revert', program_counter: 92, return: data, reason },
      stack: reason,
      name: 'RuntimeError',
    },
  }),
  'a proxy that keeps the data only': (reason, data) => ({ code: -32603, message: reason, data }),
};

/** Reverts reported in words, without data. */
const SHAPES_IN_WORDS: Readonly<Record<string, (reason: string) => NodeError>> = {
  'geth 1.9': (reason) => ({ code: -32000, message: `execution reverted: ${reason}`, data: undefined }),
  'code 3, data null': (reason) => ({ code: 3, message: `execution reverted: ${reason}`, data: null }),
  Besu: (reason) => ({ code: -32000, message: `Execution reverted (${reason})`, data: undefined }),
  'Nethermind 1.25': (reason) => ({
    code: -32015,
    message: 'VM execution error.',
    data: `revert: ${reason}`,
  }),
  'hardhat 2': (reason) => ({
    code: -32603,
    message: `Error: VM Exception while processing transaction: reverted with reason string '${reason}'`,
    data: undefined,
  }),
  'behind op-geth': (reason) => ({
    code: -32000,
    message: `historical backend error: execution reverted: ${reason}`,
    data: undefined,
  }),
  'wrapped by geth': (reason) => ({
    code: -32000,
    message: `err: execution reverted: ${reason} (supplied gas 50000000)`,
    data: undefined,
  }),
};

/** Reasons that look like errors of another kind: the texts of every fixture and pattern, and common ones. */
const LURES: readonly string[] = [
  ...readCases().flatMap(({ error }) => [error.message, JSON.stringify(error.data) ?? '']),
  ...RULES.map(({ pattern }) => pattern?.source ?? ''),
  ...[
    'rate limit',
    'block not found',
    'method not found',
    'timeout',
    '429 Too Many Requests',
    'it\'s "quoted"\n',
  ],
  ...[
    'Unknown block',
    'reverted',
    '0x',
    '0x08c379a0',
    '(supplied gas 5)',
    ') (',
    '$1',
    '***',
    '\u0000',
    '\u2028',
    'é✓😀',
  ],
];
const lure = fc.constantFrom(...LURES);
const anyReason = fc.oneof(
  lure,
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.oneof(lure, fc.string({ maxLength: 10 })), { maxLength: 5 }).map((parts) => parts.join(' ')),
);
/** A reason reported in words survives whole only where it fits into the examined text. */
const shortReason = anyReason.map((reason) => toWellFormed(reason.slice(0, 800)));
const code = fc.constantFrom(...EXECUTING);

for (const [client, shape] of Object.entries(SHAPES_WITH_DATA)) {
  test(`an error with revert data is a revert, whatever its reason: ${client}`, () => {
    fc.assert(
      fc.property(anyReason, code, (reason, method) => {
        const data = encodeErrorString(reason);
        assert.deepEqual(classifyError(shape(reason, data), method), { kind: 'reverted', data });
      }),
      { numRuns: countRuns(500) },
    );
  });
}

for (const [client, shape] of Object.entries(SHAPES_IN_WORDS)) {
  test(`an error with a reason in words is a revert, whatever the reason: ${client}`, () => {
    fc.assert(
      fc.property(shortReason, code, (reason, method) => {
        const verdict = classifyError(shape(reason), method);
        assert.ok(verdict.kind === 'reverted', JSON.stringify(verdict));
        if (reason === '') assert.equal(verdict.data, '0x');
        else assert.equal(decodeRevertReason(verdict.data), reason);
      }),
      { numRuns: countRuns(500) },
    );
  });
}

test('a bare reason in the data of Nethermind 1.31 is an answer, whatever it says', () => {
  fc.assert(
    fc.property(shortReason, (reason) => {
      const data = `err: ${reason} (supplied gas 36000000)`;
      const verdict = classifyError({ code: -32015, message: 'VM execution error.', data }, 'eth_call');
      assert.ok(isAnswer(verdict), JSON.stringify(verdict));
    }),
    { numRuns: countRuns(500) },
  );
});

test('any error has a verdict with bounded text', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.oneof(anyReason, fc.string({ maxLength: 3_000 })),
      fc.anything(),
      code,
      (number, message, data, method) => {
        const verdict = classifyError({ code: number, message, data }, method);
        if ('message' in verdict) assert.ok(verdict.message.length <= 1_100);
      },
    ),
    { numRuns: countRuns(500) },
  );
});

test('a long reason in words is cut to its beginning', () => {
  for (const [begin, letter] of [
    ['Reverted ', 'x'],
    ['', 'é'],
  ] as const) {
    const error = { code: -32015, message: 'VM execution error.', data: begin + letter.repeat(2_000_000) };
    const verdict = classifyError(error, 'eth_call');
    assert.ok(verdict.kind === 'reverted');
    const reason = Buffer.from(verdict.data.slice(2 + 8 + 128), 'hex')
      .toString()
      .replace(/\0+$/, '');
    assert.equal(reason, letter.repeat(65_536 - begin.length));
  }
});

test('revert data of any length is read in upper and lower case', () => {
  const data = encodeErrorString('y'.repeat(1_000_000));
  const upper = `0X${data.slice(2).toUpperCase()}`;
  const read = (said: string): unknown =>
    classifyError({ code: 3, message: 'execution reverted', data: said }, 'eth_call');
  assert.deepEqual(read(upper), { kind: 'reverted', data });
  assert.deepEqual(read(`  ${upper}\n`), { kind: 'reverted', data });
  // A Cyrillic letter that looks like a Latin one.
  assert.deepEqual(read(`${upper.slice(0, -1)}\u0410`), { kind: 'reverted', data: '0x' });
});

test('a nested error is a revert only if it reports one', () => {
  const read = (data: unknown): unknown =>
    classifyError({ code: -32603, message: 'Internal JSON-RPC error.', data }, 'eth_call');
  assert.deepEqual(read({ error: { message: 'execution reverted: no' } }), {
    kind: 'reverted',
    data: encodeErrorString('no'),
  });
  // Bytes without a selector count as revert data only where the message says so.
  for (const data of [
    { code: -32000, message: 'out of gas', data: '0x1234' },
    { message: { message: 'execution reverted' } },
    { other: { code: 3, message: 'execution reverted' } },
    { cause: { cause: { cause: { cause: { message: 'execution reverted' } } } } },
  ])
    assert.equal((read(data) as { kind: string }).kind, 'unknown', JSON.stringify(data));
});

test('client sentences about a revert are not reasons, unless a contract reverts with them', () => {
  const read = (message: string): unknown =>
    classifyError({ code: -32000, message, data: undefined }, 'eth_call');
  for (const message of [
    'REVERT opcode executed',
    'Reverted at pc 279',
    "Transaction reverted with custom error 'A(1)'",
    'reverted with an unrecognized custom error (return data: 0x1)',
  ])
    assert.deepEqual(read(message), { kind: 'reverted', data: '0x' }, message);
  for (const reason of ['REVERT opcode executed', "reverted with custom error 'A()'", 'Reverted at pc 2'])
    assert.deepEqual(read(`execution reverted: ${reason}`), {
      kind: 'reverted',
      data: encodeErrorString(reason),
    });
  // ganache's wording for any reason.
  assert.deepEqual(read("VM Exception while processing transaction: revert with custom error 'A()'"), {
    kind: 'reverted',
    data: encodeErrorString("with custom error 'A()'"),
  });
});
