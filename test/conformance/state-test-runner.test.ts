/** Tests of the state test runner itself: it must detect every way in which a post can differ. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { EMPTY_LIST_HASH } from '../../packages/ethereum/primitives/keccak.ts';
import { privateKeyToAddress } from '../../scripts/chains/secp256k1.ts';
import { parseState, type StateJson } from './support/flat-state.ts';
import { runPost } from './support/run-state-test.ts';
import { computeStateRoot } from './support/state-root.ts';
import type { PostJson, StateTestJson } from './support/state-test-json.ts';
import { parseTransactionBody, signTransaction } from './support/state-test-transaction.ts';

const SECRET_KEY = `0x${'45'.repeat(32)}`;
const SENDER = bytesToHex(privateKeyToAddress(hexToBytes(SECRET_KEY)));
const STORER = `0x${'5e'.repeat(20)}`;
const COINBASE = `0x${'c0'.repeat(20)}`;
const NO_LOGS = bytesToHex(EMPTY_LIST_HASH);

/** Stores 7 in slot 1, whatever the call's data: 21,000 + two pushes + a cold SSTORE of a fresh slot. */
const CODE = '0x600760015500';
const GAS_USED = 21_000n + 2n * 3n + 22_100n;
const GAS_PRICE = 10n;
const BASE_FEE = 7n;
const BALANCE = 10n ** 18n;

const toHex = (value: bigint): string => `0x${value.toString(16)}`;

const PRE: StateJson = {
  [SENDER]: { nonce: '0x0', balance: toHex(BALANCE), code: '0x', storage: {} },
  [STORER]: { nonce: '0x1', balance: '0x0', code: CODE, storage: { '0x02': '0x0100' } },
};

const AFTER: StateJson = {
  [SENDER]: { nonce: '0x1', balance: toHex(BALANCE - GAS_USED * GAS_PRICE) },
  [STORER]: { nonce: '0x1', code: CODE, storage: { '0x1': '0x7', '0x02': '0x0100' } },
  [COINBASE]: { balance: toHex(GAS_USED * (GAS_PRICE - BASE_FEE)) },
};

const POST: PostJson = {
  hash: bytesToHex(computeStateRoot(parseState(AFTER))),
  logs: NO_LOGS,
  indexes: { data: 0, gas: 0, value: 0 },
  state: AFTER,
};

const TEST: StateTestJson = {
  env: {
    currentCoinbase: COINBASE,
    currentGasLimit: '0x1c9c380',
    currentNumber: '0x1',
    currentTimestamp: '0x3e8',
    currentRandom: '0x00',
    currentBaseFee: toHex(BASE_FEE),
    currentExcessBlobGas: '0x0',
  },
  pre: PRE,
  transaction: {
    nonce: '0x0',
    gasPrice: toHex(GAS_PRICE),
    gasLimit: ['0x186a0', '0x5208', '0x5207'],
    to: STORER,
    value: ['0x0'],
    data: ['0x'],
    sender: SENDER,
    secretKey: SECRET_KEY,
  },
  post: {},
};

const FORK = 'Shanghai';

async function differencesOf(
  post: Partial<PostJson>,
  overrides: Partial<StateTestJson> = {},
): Promise<string> {
  const { differences } = await runPost({ ...TEST, ...overrides }, FORK, { ...POST, ...post }, false);
  return differences.join('\n');
}

describe('the state test runner', () => {
  test('passes a correct post', async () => assert.equal(await differencesOf({}), ''));

  test('reports a different root', async () => {
    assert.match(await differencesOf({ hash: NO_LOGS }), /^root 0x[0-9a-f]{64} instead of 0x1dcc4de8/);
  });

  test('reports different logs', async () => {
    assert.match(await differencesOf({ logs: POST.hash }), /^logs 0x1dcc4de8\w+ instead of 0x/);
  });

  test('reports a transaction that is executed instead of refused, and the reverse', async () => {
    assert.match(
      await differencesOf({ expectException: 'TransactionException.NONCE_IS_MAX' }),
      /^executed in spite of TransactionException.NONCE_IS_MAX$/,
    );
    const tooLittleGas = { ...POST.indexes, gas: 2 };
    assert.match(await differencesOf({ indexes: tooLittleGas }), /^refused: intrinsic gas too low/);
  });

  test('requires the expected reason of a refusal, and an unchanged state', async () => {
    const post = {
      indexes: { ...POST.indexes, gas: 2 },
      hash: bytesToHex(computeStateRoot(parseState(PRE))),
    };
    const expecting = (exception: string): Promise<string> =>
      differencesOf({ ...post, expectException: exception });
    assert.equal(await expecting('TransactionException.INTRINSIC_GAS_TOO_LOW'), '');
    assert.equal(
      await expecting('TransactionException.SENDER_NOT_EOA|TransactionException.INTRINSIC_GAS_TOO_LOW'),
      '',
    );
    assert.match(
      await expecting('TransactionException.SENDER_NOT_EOA'),
      /^refused as "intrinsic gas too low/,
    );
    assert.match(await expecting('TransactionException.NO_SUCH_REASON'), /^refused as /);
    assert.match(
      await differencesOf({
        ...post,
        hash: POST.hash,
        expectException: 'TransactionException.INTRINSIC_GAS_TOO_LOW',
      }),
      /^root /,
    );
  });

  test('compares the transaction bytes and the sender with their description', async () => {
    const body = parseTransactionBody(TEST.transaction, POST.indexes, 1n);
    const { encoded } = signTransaction(body, SECRET_KEY);
    assert.equal(await differencesOf({ txbytes: bytesToHex(encoded) }), '');
    const other = signTransaction({ ...body, gasLimit: body.gasLimit + 1n }, SECRET_KEY).encoded;
    assert.equal(await differencesOf({ txbytes: bytesToHex(other) }), 'txbytes is another transaction');
    const transaction = { ...TEST.transaction, sender: COINBASE };
    assert.match(
      await differencesOf({}, { transaction }),
      new RegExp(`^sender ${SENDER} instead of ${COINBASE}$`),
    );
    assert.match(await differencesOf({ txbytes: '0xc0' }), /^refused: transaction: type 0 has 0 fields/);
  });

  test('explains differences by account', async () => {
    const state = { ...AFTER, [COINBASE]: { balance: '0x1' }, [`0x${'00'.repeat(20)}`]: {} };
    const post = { ...POST, hash: NO_LOGS, state };
    const { explanation } = await runPost(TEST, FORK, post, true);
    assert.deepEqual(explanation, [
      `success, gas used ${GAS_USED}, logs 0`,
      `${COINBASE}: balance ${GAS_USED * (GAS_PRICE - BASE_FEE)} instead of 1`,
      `0x${'00'.repeat(20)} is missing`,
    ]);
  });

  test('rejects forks that are not in its table', async () => {
    await assert.rejects(
      runPost(TEST, 'Atlantis', POST, false),
      /no revision is known for the fork Atlantis/,
    );
  });
});
