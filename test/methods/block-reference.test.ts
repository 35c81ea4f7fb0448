import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyBlock, blockNumberOrTag, resolveSafeTag } from '../../src/methods/block-reference.ts';
import { ParamProblem } from '../../src/rpc/param-problem.ts';
import { createScriptedNetwork, ScriptedChain } from '../gateway/scripted-network.ts';

const HASH = `0x${'aB'.repeat(32)}`;

const ACCEPTED: readonly [value: unknown, reference: unknown][] = [
  ['latest', { kind: 'tag', tag: 'latest' }],
  ['safe', { kind: 'tag', tag: 'safe' }],
  ['0x0', { kind: 'number', number: 0n }],
  ['0X1F', { kind: 'number', number: 31n }],
  ['0x7fffffffffffffff', { kind: 'number', number: 2n ** 63n - 1n }],
  [HASH, { kind: 'hash', hash: HASH.toLowerCase(), requireCanonical: false }],
  [{ blockHash: HASH }, { kind: 'hash', hash: HASH.toLowerCase(), requireCanonical: false }],
  [
    { blockHash: HASH, requireCanonical: true, blockNumber: null },
    { kind: 'hash', hash: HASH.toLowerCase(), requireCanonical: true },
  ],
  [{ blockNumber: '0x5' }, { kind: 'number', number: 5n }],
  [
    { blockNumber: 'finalized', other: 1 },
    { kind: 'tag', tag: 'finalized' },
  ],
];
for (const [value, reference] of ACCEPTED) {
  test(`${JSON.stringify(value)} is a block reference`, () =>
    assert.deepEqual(anyBlock.parse(value), reference));
}

const REFUSED: readonly [value: unknown, message: string][] = [
  ['LATEST', 'hex string without 0x prefix'],
  ['', 'empty hex string'],
  ['0x', 'hex string "0x"'],
  ['0x00', 'hex number with leading zero digits'],
  ['0x10000000000000000', 'hex number > 64 bits'],
  ['0x8000000000000000', 'block number larger than int64'],
  [`0x${'g'.repeat(64)}`, 'invalid hex string'],
  [5, 'expected a block number as hex string or a tag, got a number'],
  [[], 'expected a block number as hex string or a tag, got an array'],
  [{}, 'expected blockHash or blockNumber in the object'],
  [
    { blockHash: HASH, blockNumber: '0x1' },
    'cannot specify both blockHash and blockNumber, choose one or the other',
  ],
  [{ blockHash: '0x12' }, 'blockHash: hex string has length 2, want 64 for 32 bytes'],
  [{ blockHash: 5 }, 'blockHash: expected a block hash, got a number'],
  [{ blockNumber: HASH }, 'blockNumber: hex number > 64 bits'],
  [{ blockHash: HASH, requireCanonical: 1 }, 'requireCanonical: expected a boolean, got a number'],
];
for (const [value, message] of REFUSED) {
  test(`${JSON.stringify(value)} is refused as a block reference: ${message}`, () => {
    assert.throws(() => anyBlock.parse(value), new ParamProblem(message));
  });
}

test('blockNumberOrTag refuses a hash as a number of more than 64 bits', () => {
  assert.throws(() => blockNumberOrTag.parse(HASH), new ParamProblem('hex number > 64 bits'));
  assert.throws(() => blockNumberOrTag.parse({ blockNumber: '0x1' }), ParamProblem);
});

test('resolveSafeTag refuses safe, or reads it as finalized, depending on the network', () => {
  const safe = { kind: 'tag', tag: 'safe' } as const;
  const chain = new ScriptedChain();
  assert.throws(
    () => resolveSafeTag(safe, 1, createScriptedNetwork(chain)),
    /invalid argument 1: .*"finalized"/,
  );
  assert.deepEqual(resolveSafeTag(safe, 1, createScriptedNetwork(chain, { safeTag: 'finalized' })), {
    kind: 'tag',
    tag: 'finalized',
  });
  const latest = { kind: 'tag', tag: 'latest' } as const;
  assert.equal(resolveSafeTag(latest, 1, createScriptedNetwork(chain)), latest);
});
