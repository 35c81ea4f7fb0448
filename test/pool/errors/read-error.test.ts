import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ChainError } from '../../../src/chain/errors.ts';
import { classifyError } from '../../../src/pool/errors/classify-error.ts';
import { readError } from '../../../src/pool/errors/read-error.ts';
import { UnknownExecutionError } from '../../../src/pool/fault.ts';

const SECRET = 'k3y0123456789abcdef';

/** All text of an error that may reach a client, revert data decoded. */
function readAll(error: ReturnType<typeof readError>): string {
  const data = error instanceof ChainError ? String(error.data ?? '0x') : '0x';
  return `${error.message} ${Buffer.from(data.slice(2), 'hex').toString()}`;
}

test('no message or data of a node reveals its secrets', () => {
  const places: readonly ((words: string) => { code: number; message: string; data: unknown })[] = [
    (words) => ({ code: -32000, message: words, data: undefined }),
    (words) => ({ code: 3, message: words, data: undefined }),
    (words) => ({ code: -32000, message: `${words} ${Buffer.from(words).toString('base64')}`, data: {} }),
    (words) => ({ code: -32015, message: 'VM execution error.', data: words }),
    (words) => ({ code: -32602, message: 'invalid params', data: words }),
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...places),
      fc.constantFrom('eth_call', 'eth_estimateGas', 'eth_getBlockReceipts'),
      fc.constantFrom(0, 10, 285, 980, 995, 3_980, 3_999, 15_990, 100_000),
      fc.boolean(),
      (place, method, before, isUpper) => {
        const secret = isUpper ? SECRET.toUpperCase() : SECRET;
        const words = `${'a '.repeat(before / 2)}at https://node.example.org/v1/${secret}/rpc and ${secret}`;
        const said = readAll(readError(place(words), method, [SECRET, 'node.example.org'])).toLowerCase();
        for (let length = 8; length <= SECRET.length; length++) {
          assert.ok(!said.includes(SECRET.slice(0, length)), said.slice(-60));
        }
      },
    ),
  );
});

test('revert data is unchanged, even if it contains a secret', () => {
  const data = `0x${Buffer.from(`08c379a0${SECRET}`).toString('hex')}`;
  const error = readError({ code: 3, message: 'execution reverted', data }, 'eth_call', [data.slice(2, 20)]);
  assert.ok(error instanceof ChainError && error.data === data);
});

test('an unknown error is a possible execution failure only for methods that execute', () => {
  const error = { code: -32000, message: 'what?', data: undefined };
  assert.ok(readError(error, 'eth_call', []) instanceof UnknownExecutionError);
  assert.ok(readError(error, 'debug_traceCall', []) instanceof UnknownExecutionError);
  assert.ok(!(readError(error, 'eth_getBlockReceipts', []) instanceof UnknownExecutionError));
});

test('only the beginning of a long error is searched for secrets', () => {
  const searched: number[] = [];
  const mask = (words: string): string => {
    searched.push(words.length);
    return words;
  };
  const words = 'very long '.repeat(100_000);
  assert.equal(
    classifyError({ code: -32000, message: words, data: words }, 'eth_call', mask).kind,
    'unknown',
  );
  assert.ok(Math.max(...searched) <= 16_001, String(searched));
  const message = `execution reverted: ${words}`;
  assert.equal(classifyError({ code: 3, message, data: undefined }, 'eth_call', mask).kind, 'reverted');
  assert.ok(Math.max(...searched) <= 16_001, 'a reason is not searched for secrets');
});
