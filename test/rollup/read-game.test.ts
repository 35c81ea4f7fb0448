import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { readGame } from '../../src/rollup/op-stack/read-game.ts';
import { makeGame } from './games.ts';

/** Code on layer 1 of a game about block 719,276 of a rollup (0x201d43c399f2495e19a591eab93fa3384ec6c72e). */
const RECORDED =
  '0x36602c57343d527f9e4ac34f21c619cefc926c8bd93b54bf5a39c7ab2127a895af1cc0691d7e3dff593da1005b363d3d373d3d3d3d610076806062363936013d732efa42b7d7591cbf436cce4973f900d8314c86dd5af43d3d93803e606057fd5bf34ad30ecfb92b9311a853d296c515fb0d6505d89c68db32372fd77e57b0879f97224bb89dac59e267486b38ee20309c8cc1acfb854eb9303a31c50a42f48a8fcc63b84d60abf8c5408ea569569af66c0cc3a76f6e00000000000000000000000000000000000000000000000000000000000af9ac0076';
const CHAIN = 11_155_420n;
const ROOT = `0x${'c1'.repeat(32)}`;

const word = (value: bigint): string => value.toString(16).padStart(64, '0');

test('a recorded game claims the output root of a block', () => {
  assert.deepEqual(readGame(hexToBytes(RECORDED), CHAIN), {
    outputRoot: '0x68db32372fd77e57b0879f97224bb89dac59e267486b38ee20309c8cc1acfb85',
    block: { number: 0xaf9acn },
  });
});

test('a game of a later factory has its type before the number, and further arguments after it', () => {
  for (const type of [0, 1, 8, 42, 621]) {
    const subject = `${type.toString(16).padStart(8, '0')}${word(4_321n)}${'ab'.repeat(164)}`;
    const claim = readGame(makeGame(ROOT, subject), CHAIN);
    assert.deepEqual(claim, { outputRoot: ROOT, block: { number: 4_321n } }, `type ${type}`);
  }
  const behind = readGame(makeGame(ROOT, `${word(71_747_488n)}00002d8f`), CHAIN);
  assert.deepEqual(behind, { outputRoot: ROOT, block: { number: 71_747_488n } });
});

test('a game about a super root claims the output root of the chain in it', () => {
  const time = 1_790_827_895n;
  const chains = [10n, CHAIN, 130n];
  const preimage = `01${time.toString(16).padStart(16, '0')}${chains.map((id) => word(id) + word(id * 7n)).join('')}`;
  const root = bytesToHex(keccak256(hexToBytes(`0x${preimage}`)));
  const expected = { outputRoot: `0x${word(CHAIN * 7n)}`, block: { timestamp: time } };
  for (const subject of [preimage, `00000009${preimage}${'cd'.repeat(96)}`]) {
    assert.deepEqual(readGame(makeGame(root, subject), CHAIN), expected);
    assert.equal(readGame(makeGame(root, subject), 8_453n), undefined, 'another chain');
    assert.equal(readGame(makeGame(ROOT, subject), CHAIN), undefined, 'another root claim');
  }
});

test('code that is not a game has no claim', () => {
  const game = hexToBytes(RECORDED);
  for (const code of [
    new Uint8Array(),
    hexToBytes('0x6080604052'),
    game.subarray(0, 98),
    game.subarray(0, 150),
    makeGame(ROOT, 'ff'.repeat(200)),
    makeGame(ROOT, ''),
  ])
    assert.equal(readGame(code, CHAIN), undefined);
});
