/** Blocks and transactions of a store: all forms of one object agree, and their encodings hash to the header's roots. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { encodeBlockAccessList } from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { bytesToHex, hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { computeOrderedRoot } from '../../../../packages/ethereum/primitives/ordered-root.ts';
import { parseBlockAccessListJson } from '../../../../src/chain/block-access-list-json.ts';
import type { BlockReference } from '../../../../src/chain/requests.ts';
import { FACTS } from '../../../support/development.ts';
import { type EmbeddedChain, importEmbeddedChain } from '../../../support/embedded.ts';

const CHAIN = join(import.meta.dirname, '../../../../../chains/devnet');
const PENDING: BlockReference = { kind: 'tag', tag: 'pending' };
const UNKNOWN = `0x${'77'.repeat(32)}`;

type Item = { readonly hash: string };
type Block = {
  readonly number: string;
  readonly hash: string;
  readonly size: string;
  readonly receiptsRoot: string;
  readonly transactions: readonly Item[];
  readonly uncles: readonly string[];
};

const keccakHex = (data: string): string => bytesToHex(keccak256(hexToBytes(data)));

const parse = (json: JsonResult | null): unknown => {
  assert.equal(typeof json, 'string');
  return JSON.parse(json as string);
};

describe('blocks and transactions of a store', () => {
  let embedded: EmbeddedChain;
  const listed: Block[] = [];

  before(async () => {
    embedded = await importEmbeddedChain(join(CHAIN, 'genesis.json'), join(CHAIN, 'blocks.rlp.gz'));
    const { blocks } = embedded.chain;
    for (let number = 0n; number <= BigInt(FACTS.devnet.headNumber); number++) {
      listed.push(parse(blocks.getBlock({ kind: 'number', number }, true)) as Block);
    }
  });
  after(() => embedded.close());

  /** A block by its number and by its hash. */
  const namesOf = ({ number, hash }: Block): readonly BlockReference[] => [
    { kind: 'number', number: BigInt(number) },
    { kind: 'hash', hash, requireCanonical: false },
  ];

  it('transactions cannot be sent because nothing makes blocks', () => {
    const { transactions } = embedded.chain;
    assert.throws(() => transactions.send(), { kind: 'readOnly', message: /imported blocks/ });
  });

  it('a block lists its transactions as objects or as hashes', () => {
    for (const block of listed) {
      const hashes = block.transactions.map(({ hash }) => hash);
      for (const name of namesOf(block)) {
        assert.deepEqual(parse(embedded.chain.blocks.getBlock(name, true)), block);
        assert.deepEqual(parse(embedded.chain.blocks.getBlock(name, false)), {
          ...block,
          transactions: hashes,
        });
      }
    }
  });

  it('a header is the block without its body, and counts are the lengths of its lists', () => {
    const { blocks } = embedded.chain;
    for (const block of listed) {
      const { size: _, transactions, uncles, ...rest } = block;
      const { withdrawals: __, ...header } = rest as Record<string, unknown>;
      for (const name of namesOf(block)) {
        assert.deepEqual(parse(blocks.getHeaderObject(name)), header);
        assert.equal(blocks.countTransactions(name), `"0x${transactions.length.toString(16)}"`);
        assert.equal(blocks.countUncles(name), `"0x${uncles.length.toString(16)}"`);
        for (const [index, hash] of uncles.entries()) {
          assert.equal((parse(blocks.getUncle(name, BigInt(index))) as Item).hash, hash);
        }
        assert.equal(blocks.getUncle(name, BigInt(uncles.length)), null);
      }
    }
    assert.ok(listed.some(({ uncles }) => uncles.length > 1));
  });

  it('raw encodings match the hashes and roots of the header', () => {
    const { blocks } = embedded.chain;
    for (const block of listed) {
      for (const name of namesOf(block)) {
        const header = parse(blocks.getRaw(name, 'header')) as string;
        assert.equal(keccakHex(header), block.hash);
        const whole = parse(blocks.getRaw(name, 'block')) as string;
        assert.ok(whole.includes(header.slice(2)));
        assert.equal((whole.length - 2) / 2, Number(block.size));
        const receipts = parse(blocks.getRaw(name, 'receipts')) as string[];
        assert.equal(bytesToHex(computeOrderedRoot(receipts.map(hexToBytes))), block.receiptsRoot);
      }
    }
  });

  it('a block access list matches the hash of the header in both forms, and is absent before Amsterdam', () => {
    const { blocks } = embedded.chain;
    let count = 0;
    for (const block of listed) {
      const { blockAccessListHash: hash } = block as { blockAccessListHash?: string };
      for (const name of namesOf(block)) {
        if (hash === undefined) {
          assert.throws(() => blocks.getAccessList(name, 'raw'), { kind: 'absent' });
          continue;
        }
        const raw = parse(blocks.getAccessList(name, 'raw')) as string;
        assert.equal(keccakHex(raw), hash);
        const objects = parseBlockAccessListJson(parse(blocks.getAccessList(name, 'objects')));
        assert.equal(bytesToHex(encodeBlockAccessList(objects)), raw);
        count++;
      }
    }
    assert.ok(count > 0);
  });

  it('a transaction, its bytes and its receipt are the same by position and by hash', () => {
    const { blocks, transactions } = embedded.chain;
    const types = new Set<unknown>();
    for (const block of listed) {
      const receipts = parse(blocks.getReceipts({ kind: 'number', number: BigInt(block.number) }));
      for (const [i, tx] of block.transactions.entries()) {
        const { hash } = tx;
        assert.deepEqual(parse(transactions.getTransaction({ hash })), tx);
        assert.deepEqual(parse(transactions.getReceipt(hash)), (receipts as unknown[])[i]);
        const raw = parse(transactions.getRawTransaction({ hash })) as string;
        assert.equal(keccakHex(raw), hash);
        for (const name of namesOf(block)) {
          const place = { block: name, index: BigInt(i) };
          assert.deepEqual(parse(transactions.getTransaction(place)), tx);
          assert.equal(parse(transactions.getRawTransaction(place)), raw);
        }
        types.add((tx as unknown as { type: string }).type);
      }
    }
    assert.equal(types.size, 5);
  });

  it('missing blocks, transactions and receipts are null', () => {
    const { blocks, transactions } = embedded.chain;
    const names: readonly BlockReference[] = [
      { kind: 'number', number: BigInt(listed.length) },
      { kind: 'hash', hash: UNKNOWN, requireCanonical: false },
    ];
    for (const name of names) {
      assert.equal(blocks.getBlock(name, true), null);
      assert.equal(blocks.getHeaderObject(name), null);
      assert.equal(blocks.countTransactions(name), null);
      assert.equal(blocks.countUncles(name), null);
      assert.equal(blocks.getUncle(name, 0n), null);
      for (const part of ['block', 'header', 'receipts'] as const)
        assert.equal(blocks.getRaw(name, part), null);
      for (const form of ['objects', 'raw'] as const) assert.equal(blocks.getAccessList(name, form), null);
      assert.equal(transactions.getTransaction({ block: name, index: 0n }), null);
      assert.equal(transactions.getRawTransaction({ block: name, index: 0n }), null);
    }
    const last: BlockReference = { kind: 'tag', tag: 'latest' };
    assert.equal(transactions.getTransaction({ block: last, index: 2n ** 64n - 1n }), null);
    assert.equal(transactions.getRawTransaction({ block: last, index: 2n ** 64n - 1n }), null);
    assert.equal(transactions.getTransaction({ hash: UNKNOWN }), null);
    assert.equal(transactions.getRawTransaction({ hash: UNKNOWN }), null);
    assert.equal(transactions.getReceipt(UNKNOWN), null);
  });

  it('the pending block follows the head and is empty', () => {
    const { blocks, transactions } = embedded.chain;
    const head = listed.at(-1) as Block;
    const pending = parse(blocks.getBlock(PENDING, true)) as Record<string, unknown>;
    assert.equal(pending['number'], `0x${listed.length.toString(16)}`);
    assert.equal(pending['parentHash'], head.hash);
    for (const name of ['hash', 'nonce', 'miner']) assert.equal(pending[name], null);
    for (const name of ['transactions', 'uncles', 'withdrawals']) assert.deepEqual(pending[name], []);
    assert.equal(pending['gasUsed'], '0x0');
    assert.equal(BigInt(pending['baseFeePerGas'] as string), blocks.getHeader(PENDING)?.baseFeePerGas);
    const known = new Set([...Object.keys(head), 'parentBeaconBlockRoot']);
    assert.deepEqual(new Set([...Object.keys(pending), 'parentBeaconBlockRoot']), known);
    assert.equal(blocks.getHeaderObject(PENDING), null);
    assert.equal(blocks.countTransactions(PENDING), '"0x0"');
    assert.equal(blocks.countUncles(PENDING), '"0x0"');
    assert.equal(blocks.getReceipts(PENDING), '[]');
    assert.equal(blocks.getUncle(PENDING, 0n), null);
    assert.equal(blocks.getRaw(PENDING, 'block'), null);
    assert.equal(transactions.getTransaction({ block: PENDING, index: 0n }), null);
  });
});
