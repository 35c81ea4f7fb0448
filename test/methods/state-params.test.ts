import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import type { BlockReference } from '../../src/chain/requests.ts';
import { ethGetBalance } from '../../src/methods/eth_getBalance.ts';
import { ethGetCode } from '../../src/methods/eth_getCode.ts';
import { ethGetProof } from '../../src/methods/eth_getProof.ts';
import { ethGetStorageAt } from '../../src/methods/eth_getStorageAt.ts';
import { ethGetStorageValues } from '../../src/methods/eth_getStorageValues.ts';
import { ethGetTransactionCount } from '../../src/methods/eth_getTransactionCount.ts';
import type { MethodContext } from '../../src/methods/method-context.ts';
import { decodeSlot, MAX_SLOTS, orderRequests } from '../../src/methods/state-params.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { createFakeChain } from '../support/fake-chain.ts';

const ADDRESS = `0x${'Ab'.repeat(20)}`;
const OTHER = `0x${'01'.repeat(20)}`;
const LOWER = ADDRESS.toLowerCase();
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

describe('storage slots', () => {
  it('are parsed and echoed like in geth', () => {
    const whole = `0x${'0'.repeat(63)}A`;
    for (const [text, value, echo] of [
      ['0x1', 1n, '0x1'],
      ['0X01', 1n, '0x1'],
      ['1', 1n, '0x1'],
      ['', 0n, '0x0'],
      ['0x', 0n, '0x0'],
      ['0x0000', 0n, '0x0'],
      ['0xABC', 0xabcn, '0xabc'],
      [whole, 10n, whole.toLowerCase()],
      // 63 digits are 32 bytes.
      [whole.replace('0x0', '0x'), 10n, whole.toLowerCase()],
      [whole.slice(2), 10n, whole.toLowerCase()],
      [whole.replace('0x00', '0x'), 10n, '0xa'],
    ] as const) {
      assert.deepEqual(decodeSlot(text), { word: word(value), echo }, text);
    }
  });

  it('are refused with geth’s messages if they are malformed', () => {
    for (const [text, message] of [
      [`0x${'0'.repeat(65)}`, `storage key too long (want at most 32 bytes): "0x${'0'.repeat(65)}"`],
      ['0xzz', 'invalid hex in storage key: "0xzz"'],
      ['0x0x', 'invalid hex in storage key: "0x0x"'],
      [' 0x1', 'invalid hex in storage key: " 0x1"'],
      ['"', 'invalid hex in storage key: "\\""'],
      // The length is in bytes.
      ['é'.repeat(32), `invalid hex in storage key: "${'é'.repeat(32)}"`],
      ['é'.repeat(33), `storage key too long (want at most 32 bytes): "${'é'.repeat(33)}"`],
    ] as const) {
      assert.throws(() => decodeSlot(text), { name: 'RpcError', rowName: 'invalidParams', message });
    }
  });

  it('have error messages of bounded length', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 65, maxLength: 20_000 }), (text) => {
        assert.throws(
          () => decodeSlot(text),
          (error) => (error as Error).message.length < 7_000,
        );
      }),
    );
  });
});

describe('eth_getStorageValues requests', () => {
  it('are sorted by account', () => {
    const requests = { '0xbb': ['1'], '0xaa': ['2', '3'], '0xcc': [] };
    assert.deepEqual(
      [...orderRequests(requests)],
      [
        ['0xaa', ['2', '3']],
        ['0xbb', ['1']],
        ['0xcc', []],
      ],
    );
  });

  it('have as many slots as geth accepts', () => {
    const list = (length: number): string[] => Array.from({ length }, () => word(0n));
    assert.equal(orderRequests({ a: list(MAX_SLOTS) }).size, 1);
    assert.throws(() => orderRequests({ a: list(MAX_SLOTS), b: list(1) }), {
      rowName: 'limitExceeded',
      message: 'too many slots (max 1024) (bound: call.slots)',
    });
    for (const none of [{}, { a: [] }]) {
      assert.throws(() => orderRequests(none), { rowName: 'invalidParams', message: 'empty request' });
    }
  });
});

test('state methods pass addresses, slots and block to the chain, with latest as the default block', async () => {
  const requested: unknown[] = [];
  const note =
    (name: string) =>
    (...parameters: readonly unknown[]): string => {
      requested.push([name, ...parameters.slice(0, -1)]);
      return '""';
    };
  const chain = createFakeChain({
    state: {
      getBalance: note('balance'),
      getCode: note('code'),
      getTransactionCount: note('count'),
      getStorageAt: note('slot'),
      getStorageValues: note('values'),
      getProof: note('proof'),
    },
  });
  const context: MethodContext = {
    network: createScriptedNetwork(chain),
    clientVersion: 'v',
    scope: new RequestScope(performance.now() + 10_000),
  };
  const third: BlockReference = { kind: 'number', number: 3n };
  for (const [more, block] of [
    [[], LATEST],
    [[null], LATEST],
    [['0x3'], third],
  ] as const) {
    requested.length = 0;
    await ethGetBalance.invoke([ADDRESS, ...more], context);
    await ethGetCode.invoke([ADDRESS, ...more], context);
    await ethGetTransactionCount.invoke([ADDRESS, ...more], context);
    await ethGetStorageAt.invoke([ADDRESS, '0x1', ...more], context);
    const requests = { [ADDRESS]: [word(1n)], [OTHER]: null };
    await ethGetStorageValues.invoke([requests, ...more], context);
    await ethGetProof.invoke([ADDRESS, ['0x01', word(1n), null], ...more], context);
    assert.deepEqual(requested, [
      ['balance', LOWER, block],
      ['code', LOWER, block],
      ['count', LOWER, block],
      ['slot', LOWER, word(1n), block],
      [
        'values',
        new Map([
          [OTHER, []],
          [LOWER, [word(1n)]],
        ]),
        block,
      ],
      ['proof', LOWER, ['0x1', word(1n), '0x0'], block],
    ]);
  }
  const slots = Array.from({ length: MAX_SLOTS + 1 }, () => '0x1');
  assert.throws(() => ethGetProof.invoke([ADDRESS, slots], context), {
    rowName: 'invalidParams',
    message: 'too many storage keys requested (max 1024, got 1025) (bound: call.slots)',
  });
});
