/** Required contents of the devnet's blocks, read from the committed file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Transaction as EthersTransaction } from 'ethers';
import { type Block, decodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { activeForks } from '../../packages/ethereum/codecs/chain-config.ts';
import {
  hashTransaction,
  recoverSender,
  type Transaction,
} from '../../packages/ethereum/codecs/transaction.ts';
import { bigIntToFixedBytes, concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { readRlpSpan } from '../../packages/ethereum/primitives/rlp.ts';
import { sha256 } from '../../packages/ethereum/primitives/sha256.ts';
import { type Genesis, parseGenesis } from '../../packages/evm/transition/genesis.ts';
import type { Facts } from '../../scripts/chains/facts.ts';
import { recoverPublicKey } from '../../scripts/chains/secp256k1.ts';

const CHAINS = new URL('../../../chains/', import.meta.url);
const FACTS = JSON.parse(readFileSync(new URL('facts.json', CHAINS), 'utf8')) as Facts;
const GENESIS: Genesis = parseGenesis(readFileSync(new URL('devnet/genesis.json', CHAINS), 'utf8'));
const BLOCKS: readonly Block[] = readBlocks();

function readBlocks(): Block[] {
  const file = gunzipSync(readFileSync(new URL('devnet/blocks.rlp.gz', CHAINS)));
  const blocks: Block[] = [];
  for (let at = 0; at < file.length; ) {
    const end = readRlpSpan(file, at, file.length)?.end as number;
    blocks.push(decodeBlock(file.subarray(at, end)));
    at = end;
  }
  return blocks;
}

function blockAt(number: number): Block {
  return BLOCKS[number - 1] as Block;
}

test('every fork starts at its block', () => {
  const beginnings: Record<string, bigint> = {};
  let totalDifficulty = GENESIS.header.difficulty;
  for (const { header } of BLOCKS) {
    const isMerged = totalDifficulty >= (GENESIS.config.terminalTotalDifficulty as bigint);
    const { number, timestamp } = header;
    for (const fork of activeForks(GENESIS.config, { number, timestamp, isMerged })) {
      beginnings[fork] ??= number;
    }
    totalDifficulty += header.difficulty;
  }
  assert.deepEqual(beginnings, {
    frontier: 1n,
    homestead: 3n,
    tangerineWhistle: 9n,
    spuriousDragon: 12n,
    byzantium: 15n,
    constantinople: 18n,
    petersburg: 21n,
    istanbul: 24n,
    muirGlacier: 25n,
    berlin: 27n,
    london: 30n,
    arrowGlacier: 31n,
    grayGlacier: 32n,
    paris: BigInt(FACTS.devnet.mergeBlock),
    shanghai: 38n,
    cancun: 42n,
    prague: 47n,
    osaka: 52n,
    bpo1: 55n,
    bpo2: 58n,
    amsterdam: 62n,
  });
  assert.equal(GENESIS.config.daoForkBlock, 6n);
});

test('blocks have no, one or two uncles, from every valid depth', () => {
  const depths = BLOCKS.flatMap(({ header, uncles }) => uncles.map((uncle) => header.number - uncle.number));
  assert.deepEqual(new Set(depths), new Set([1n, 2n, 3n, 4n, 5n, 6n]));
  assert.deepEqual(new Set(BLOCKS.map(({ uncles }) => uncles.length)), new Set([0, 1, 2]));
});

test('another library parses every transaction and recovers the same sender', () => {
  const senders = new Set(FACTS.devnet.accounts.map(({ address }) => address));
  for (const tx of BLOCKS.flatMap(({ transactions }) => transactions)) {
    const read = EthersTransaction.from(bytesToHex(tx.encoded));
    assert.equal(read.hash, bytesToHex(hashTransaction(tx)));
    assert.equal(read.from?.toLowerCase(), bytesToHex(recoverSender(tx, recoverPublicKey)));
    assert.equal(read.type, tx.type);
    assert.ok(senders.has(bytesToHex(recoverSender(tx, recoverPublicKey))));
  }
});

test('legacy transactions have no chain id before EIP-155, and with or without one after it', () => {
  const legacy = BLOCKS.flatMap(({ header, transactions }) =>
    transactions
      .filter(({ type }) => type === 0)
      .map(({ chainId }) => ({ isEarly: header.number < 12n, isProtected: chainId !== undefined })),
  );
  assert.ok(legacy.every(({ isEarly, isProtected }) => !(isEarly && isProtected)));
  assert.ok(legacy.some(({ isEarly, isProtected }) => !isEarly && !isProtected));
  assert.ok(legacy.some(({ isProtected }) => isProtected));
});

test('the block with every type has a transaction of each type', () => {
  const types = blockAt(FACTS.devnet.everyTypeBlock).transactions.map(({ type }) => type);
  assert.deepEqual([...new Set(types)].sort(), [0, 1, 2, 3, 4]);
});

test('blobs fill blocks up to each limit', () => {
  const most = (from: number, to: number): number =>
    Math.max(
      ...BLOCKS.slice(from - 1, to).map(({ transactions }) =>
        transactions.reduce((sum, { blobVersionedHashes }) => sum + blobVersionedHashes.length, 0),
      ),
    );
  assert.deepEqual([most(42, 46), most(52, 54), most(55, 57), most(58, 61)], [6, 9, 15, 21]);
});

test('the requests of block 50 have the hash that EIP-7685 defines', () => {
  const { header, transactions } = blockAt(50);
  const [deposit, withdrawal, consolidation] = transactions as [Transaction, Transaction, Transaction];
  /** Data of the `bytes` argument with its length word at `at`, behind the selector. */
  const part = (at: number, length: number): Uint8Array =>
    deposit.data.subarray(4 + at + 32, 4 + at + 32 + length);
  const littleEndian = (value: bigint): Uint8Array => bigIntToFixedBytes(value, 8).reverse();
  const amount = littleEndian(deposit.value / 10n ** 9n);
  const depositRequest = concatBytes(part(128, 48), part(224, 32), amount, part(288, 96), littleEndian(0n));
  const withdrawalRequest = concatBytes(
    recoverSender(withdrawal, recoverPublicKey),
    withdrawal.data.subarray(0, 48),
    withdrawal.data.slice(48).reverse(),
  );
  const consolidationRequest = concatBytes(
    recoverSender(consolidation, recoverPublicKey),
    consolidation.data,
  );
  const requests = [depositRequest, withdrawalRequest, consolidationRequest].map((request, type) =>
    sha256(concatBytes(Uint8Array.of(type), request)),
  );
  assert.equal(bytesToHex(header.requestsHash as Uint8Array), bytesToHex(sha256(concatBytes(...requests))));
});

test('a nearly full block raises the base fee, an empty one lowers it', () => {
  const [full, empty, next] = [36, 37, 38].map(
    (number) => blockAt(number).header.baseFeePerGas as bigint,
  ) as [bigint, bigint, bigint];
  assert.ok(full < empty && empty > next);
});
