import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Block, decodeBlock, encodeBlock } from '../../../../packages/ethereum/codecs/block.ts';
import { BLANK_HEADER, type Header } from '../../../../packages/ethereum/codecs/header.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { asList, decodeRlp, encodeRlp, type RlpInput } from '../../../../packages/ethereum/primitives/rlp.ts';

const LIST: RlpInput = [[new Uint8Array(20), [], [], [], [], []]];

const header: Header = {
  ...BLANK_HEADER,
  baseFeePerGas: 7n,
  withdrawalsRoot: new Uint8Array(32),
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: new Uint8Array(32),
  requestsHash: new Uint8Array(32),
  blockAccessListHash: keccak256(encodeRlp(LIST)),
  slotNumber: 1n,
};
const block: Block = { header, transactions: [], uncles: [], withdrawals: [] };

/** Encodes a block in the format of `geth export`. */
const exportBlock = (of: Block, ...more: readonly RlpInput[]): Uint8Array =>
  encodeRlp([...(asList(decodeRlp(encodeBlock(of)), 'block') as RlpInput[]), ...more]);

test('an exported block decodes to the block without its access list', () => {
  assert.deepEqual(decodeBlock(exportBlock(block, LIST)), decodeBlock(encodeBlock(block)));
});

test('an exported access list has to match the hash in the header', () => {
  assert.throws(() => decodeBlock(exportBlock(block, [])), /does not hash to the hash in the header/);
  const { blockAccessListHash, slotNumber, ...earlier } = header;
  assert.ok(blockAccessListHash !== undefined && slotNumber !== undefined);
  const before = exportBlock({ ...block, header: earlier }, LIST);
  assert.throws(() => decodeBlock(before), /before Amsterdam/);
  assert.throws(() => decodeBlock(exportBlock(block, LIST, [])), /block body has 5 fields/);
});
