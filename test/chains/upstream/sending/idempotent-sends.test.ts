import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSendWords } from '../../../../src/pool/errors/node-words.ts';
import { answer, fault, inTurn, nodeError } from '../../../pool/support/scripted-node.ts';
import {
  FUNDS,
  failOf,
  HASH,
  networkOf,
  nodeOf,
  send,
  TAKEN,
} from '../../../pool/support/sending-network.ts';

const PENDING = answer(JSON.stringify({ hash: HASH, blockHash: null, blockNumber: null }));
const ID = '[Request ID: 6dc4ccb9-4a3e-4d22-9b0b-0f8c6a6ff5b1]';

/** Sources: xlayer-erigon#180, erigon#5214, ethermint#317, cronos#1839, hedera-json-rpc-relay, zksync-era. */
const KNOWN = [
  'RPC error response: already known',
  'RPC error response: INTERNAL_ERROR: existing tx with same hash',
  `${ID} already known`,
  'rpc error: code = Unknown desc = tx already in mempool',
  'JSON-RPC error: rpc error: code = Internal desc = Internal error: already known',
  'server returned an error response: error code -32000: already known',
];
const NONCE_LOW = [
  'INTERNAL_ERROR: nonce too low',
  'RPC error response: INTERNAL_ERROR: nonce too low: next nonce 9, tx nonce 3',
  `${ID} Nonce too low. Provided nonce: 245, current nonce: 246`,
  'failed to submit transaction: failed to validate the transaction. reason: Validation revert: nonce too low. allowed nonce range: 7 - 57, actual: 3',
  'failed to validate the transaction. reason: Validation revert: nonce too low.',
];
const UNKNOWN = [
  'the transaction has been seen before',
  'duplicate entry in the queue',
  'rejected: already known',
  'ALREADY_IN_MEMPOOL',
];

describe('the same bytes sent again', () => {
  it('are recognised as known by the message of a node behind any relay', async () => {
    for (const message of KNOWN) {
      assert.equal(readSendWords(message)?.verdict, 'known', message);
      const nodes = [1, 2].map(() => nodeOf(inTurn(TAKEN, nodeError(-32000, message))));
      const network = networkOf(nodes);
      assert.equal(await send(network), `"${HASH}"`);
      assert.equal(await send(network), `"${HASH}"`, message);
    }
  });

  it('succeed whatever the message if a node has them, pending or in a block', async () => {
    const block = answer(
      JSON.stringify({
        hash: HASH,
        blockHash: `0x${'11'.repeat(32)}`,
        blockNumber: '0x5',
        transactionIndex: '0x0',
      }),
    );
    for (const message of [...KNOWN, ...NONCE_LOW, ...UNKNOWN, FUNDS, 'txpool is full'])
      for (const has of [PENDING, block])
        for (const code of [-32000, -32003, -32602, 3]) {
          const refuses = nodeError(code, message);
          const network = networkOf([nodeOf(refuses), nodeOf(refuses, has)]);
          assert.equal(await send(network), `"${HASH}"`, `${code} ${message}`);
        }
  });

  it('succeed in spite of an unknown message if a node accepted them before, even if nodes hide pending transactions', async () => {
    for (const message of UNKNOWN) {
      const network = networkOf([1, 2].map(() => nodeOf(inTurn(TAKEN, nodeError(-32000, message)))));
      assert.equal(await send(network), `"${HASH}"`);
      assert.equal(await send(network), `"${HASH}"`, message);
      const fresh = networkOf([nodeOf(nodeError(-32000, message))]);
      assert.deepEqual(await failOf(send(fresh)), { kind: 'failed', message });
    }
  });

  it('are refused if the message is known and no node has them', async () => {
    const network = networkOf([1, 2].map(() => nodeOf(inTurn(TAKEN, nodeError(-32000, FUNDS)))));
    assert.equal(await send(network), `"${HASH}"`);
    assert.equal((await failOf(send(network))).message, FUNDS);
    for (const message of NONCE_LOW)
      assert.match(
        (await failOf(send(networkOf([nodeOf(nodeError(-32000, message))])))).message,
        /^nonce too low/i,
      );
  });
});

describe('a refusal', () => {
  it('takes one request for the hash at each node that refuses, without a retry', async () => {
    const nodes = [1, 2, 3].map(() => nodeOf(nodeError(-32000, FUNDS), fault('unreachable')));
    const network = networkOf(nodes);
    await failOf(send(network));
    const looks = network.requested().filter((call) => call.startsWith('eth_getTransactionByHash'));
    assert.equal(looks.length, 3);
  });

  it('is found in message or data, and reported in geth’s words', async () => {
    for (const [message, data, expected] of [
      ['could not replace existing tx', undefined, 'replacement transaction underpriced'],
      ['INTERNAL_ERROR: could not replace existing tx', undefined, 'replacement transaction underpriced'],
      ['Internal error: FeeTooLow, MaxFeePerGas too low', undefined, 'transaction underpriced'],
      [
        'Server error',
        'insufficient funds for gas * price + value',
        'insufficient funds for gas * price + value',
      ],
      ['Transaction rejected', { message: 'RPC error: nonce too high' }, 'nonce too high'],
    ] as const) {
      const network = networkOf([nodeOf(nodeError(-32000, message, data))]);
      assert.equal((await failOf(send(network))).message, expected, message);
    }
  });

  it('reports that nothing was sent only if the error of each node is known', async () => {
    const messageOf = async (...nodes: Parameters<typeof nodeOf>[0][]): Promise<string> =>
      (await failOf(send(networkOf(nodes.map((behaviour) => nodeOf(behaviour)))))).message;
    const lacks = nodeError(-32601, 'the method does not exist');
    assert.match(await messageOf(lacks, lacks), /; the transaction was not sent$/);
    assert.match(
      await messageOf(lacks, nodeError(-32603, 'oops')),
      /; the transaction may or may not have been sent$/,
    );
    assert.doesNotMatch(await messageOf(lacks, nodeError(-32000, 'strange words')), /was not sent/);
  });
});
