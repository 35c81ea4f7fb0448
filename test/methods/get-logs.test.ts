/** Parsing of eth_getLogs filters: as in geth, with geth's error messages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogFilter } from '../../src/chain/requests.ts';
import { ethGetLogs } from '../../src/methods/eth_getLogs.ts';
import { RequestScope } from '../../src/util/request-scope.ts';
import { createScriptedNetwork } from '../gateway/scripted-network.ts';
import { createFakeChain } from '../support/fake-chain.ts';

const ADDRESS = `0x${'Ab'.repeat(20)}`;
const TOPIC = `0x${'Cd'.repeat(32)}`;
const HASH = `0x${'Ef'.repeat(32)}`;
const LATEST = { kind: 'tag', tag: 'latest' } as const;
const HEAD = { kind: 'range', from: LATEST, to: LATEST } as const;

async function read(...params: readonly unknown[]): Promise<LogFilter | undefined> {
  let read: LogFilter | undefined;
  const chain = createFakeChain({
    logs: {
      getLogs: (filter) => {
        read = filter;
        return '[]';
      },
    },
  });
  const scope = new RequestScope(performance.now() + 10_000);
  await ethGetLogs.invoke(params, { network: createScriptedNetwork(chain), clientVersion: 'v', scope });
  return read;
}

test('an absent range is the head, and absent addresses and topics match all', async () => {
  for (const filter of [
    {},
    { address: null, topics: null, fromBlock: null, toBlock: null, blockHash: null, x: 1 },
  ]) {
    assert.deepEqual(await read(filter), { blocks: HEAD, addresses: [], topics: [] });
  }
  assert.deepEqual(await read({ address: [], topics: [] }), { blocks: HEAD, addresses: [], topics: [] });
});

test('ranges, tags and hashes are parsed', async () => {
  const blocks = { kind: 'range', from: { kind: 'number', number: 16n }, to: { kind: 'tag', tag: 'safe' } };
  assert.deepEqual((await read({ fromBlock: '0x10', toBlock: 'safe' }))?.blocks, blocks);
  assert.deepEqual((await read({ blockHash: HASH }))?.blocks, { kind: 'block', hash: HASH.toLowerCase() });
});

test('one address or several, and topics by position with alternatives and wildcards, are parsed', async () => {
  const [address, topic] = [ADDRESS.toLowerCase(), TOPIC.toLowerCase()];
  assert.deepEqual((await read({ address: ADDRESS }))?.addresses, [address]);
  assert.deepEqual((await read({ address: [ADDRESS, ADDRESS] }))?.addresses, [address, address]);
  // A null among alternatives matches anything, and later alternatives are not read.
  const topics = [null, TOPIC, [TOPIC, TOPIC], [TOPIC, null, 'nothing']];
  assert.deepEqual((await read({ topics }))?.topics, [[], [topic], [topic, topic], []]);
});

const REFUSED: readonly (readonly [readonly unknown[], number, string])[] = [
  [[], -32602, 'missing value for required argument 0'],
  [['0x1'], -32602, 'invalid argument 0: expected an object, got a string'],
  [[{}, {}], -32602, 'too many arguments, want at most 1'],
  [
    [{ blockHash: HASH, toBlock: '0x1' }],
    -32602,
    'invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
  ],
  [
    [{ fromBlock: 1 }],
    -32602,
    'invalid argument 0: fromBlock: expected a block number as hex string or a tag, got a number',
  ],
  [
    [{ toBlock: '0x8000000000000000' }],
    -32602,
    'invalid argument 0: toBlock: block number larger than int64',
  ],
  [[{ address: 'ab' }], -32602, 'invalid argument 0: invalid address: hex string without 0x prefix'],
  [[{ address: '' }], -32602, 'invalid argument 0: invalid address: empty hex string'],
  [[{ address: '0xabc' }], -32602, 'invalid argument 0: invalid address: hex string of odd length'],
  [[{ address: '0xabcg' }], -32602, 'invalid argument 0: invalid address: invalid hex string'],
  [
    [{ address: [ADDRESS, '0xab'] }],
    -32602,
    'invalid argument 0: invalid address at index 1: hex has invalid length 1 after decoding; expected 20 for address',
  ],
  [[{ address: [1] }], -32602, 'invalid argument 0: non-string address at index 0'],
  [[{ address: {} }], -32602, 'invalid argument 0: invalid addresses in query'],
  [[{ topics: [1] }], -32602, 'invalid argument 0: invalid topic(s)'],
  [[{ topics: [[1]] }], -32602, 'invalid argument 0: invalid topic(s)'],
  [
    [{ topics: [ADDRESS] }],
    -32602,
    'invalid argument 0: hex has invalid length 20 after decoding; expected 32 for topic',
  ],
  [[{ topics: [null, null, null, null, null] }], -32602, 'invalid argument 0: exceed max topics'],
  [[{ topics: [Array(1_001).fill(TOPIC)] }], -32602, 'invalid argument 0: exceed max topics'],
  [
    [{ address: Array(1_001).fill(ADDRESS) }],
    -32000,
    'exceed max addresses or topics per search position (bound: logs.values)',
  ],
  // Refused by the number of values, before any is read.
  [
    [{ address: Array(90_000).fill(5) }],
    -32000,
    'exceed max addresses or topics per search position (bound: logs.values)',
  ],
];

for (const [params, code, message] of REFUSED) {
  test(`a filter is refused: ${message}`, async () => {
    await assert.rejects(read(...params), (error: Error & { readonly row?: { readonly code: number } }) => {
      assert.equal(error.message, message);
      assert.equal(error.row?.code, code);
      return true;
    });
  });
}
