/** Import of Amsterdam blocks: checks of headers, block access lists and gas sums, and what is stored of them. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Block, encodeBlock } from '../../../packages/ethereum/codecs/block.ts';
import {
  decodeBlockAccessList,
  encodeBlockAccessList,
  validateBlockAccessList,
} from '../../../packages/ethereum/codecs/block-access-list.ts';
import type { Header } from '../../../packages/ethereum/codecs/header.ts';
import type { Transaction } from '../../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { BlockError } from '../../../packages/evm/transition/block-error.ts';
import { deployCode } from '../../../scripts/assembler.ts';
import { BlockImporter } from '../../../src/chains/embedded/import/block-importer.ts';
import { initializeStore } from '../../../src/chains/embedded/import/initialize-store.ts';
import type { ChainReader } from '../../../src/chains/embedded/store/chain-reader.ts';
import { openChainWriter } from '../../../src/chains/embedded/store/chain-writer.ts';
import { type BlockParts, ChainBuilder, signTransaction } from '../../support/chain-builder.ts';
import { makeTemporaryFolder } from '../../support/embedded.ts';
import { ALICE, ALICE_KEY, createGenesis } from '../../support/test-chain.ts';

const BOB = new Uint8Array(20).fill(0xb0);
const OTHER_HASH = new Uint8Array(32).fill(0x99);
const GENESIS_TIME = 0x65000000;
/** Blocks are 12 seconds apart, so block 2 is the first of the fork. */
const AT_BLOCK_2 = { amsterdamTime: GENESIS_TIME + 24 };
/** `SLOTNUM 0 SSTORE STOP`. */
const STORE_SLOT = Uint8Array.of(0x4b, 0x5f, 0x55, 0x00);

const send = (nonce: bigint, fields: Parameters<typeof signTransaction>[1]): Transaction =>
  signTransaction(ALICE_KEY, { nonce, ...fields });

async function build(genesis: string, blocks: readonly BlockParts[]): Promise<ChainBuilder> {
  const builder = new ChainBuilder(genesis);
  for (const block of blocks) await builder.add(block);
  return builder;
}

/** Imports blocks until one is refused. @returns the error, and the result of `read` on the store afterwards */
async function importAll<T>(
  genesis: string,
  { genesis: parsed }: ChainBuilder,
  blocks: readonly Block[],
  read: (reader: ChainReader) => T,
): Promise<{ error: string | undefined; found: T }> {
  const folder = makeTemporaryFolder();
  const writer = openChainWriter(folder.path);
  try {
    initializeStore(writer, parsed, JSON.stringify(JSON.parse(genesis).config));
    const importer = new BlockImporter(writer, 'ethash-format');
    let error: string | undefined;
    try {
      for (const block of blocks) importer.import(encodeBlock(block));
    } catch (reason) {
      if (!(reason instanceof BlockError)) throw reason;
      error = reason.message;
    }
    importer.commit();
    return { error, found: read(writer.openReader()) };
  } finally {
    await writer.close();
    folder.remove();
  }
}

const headNumber = (reader: ChainReader): bigint => reader.head.header.number;

function withoutFields(header: Header, ...names: readonly (keyof Header)[]): Header {
  return Object.fromEntries(
    Object.entries(header).filter(([name]) => !names.includes(name as never)),
  ) as Header;
}

describe('an Amsterdam block', () => {
  const genesis = createGenesis({ revision: 'amsterdam' });
  let builder: ChainBuilder;
  before(async () => {
    builder = await build(genesis, [
      { transactions: [send(0n, { to: BOB, value: 1n })] },
      {
        transactions: [send(1n, { data: STORE_SLOT }), send(2n, { to: BOB, value: 5n })],
        withdrawals: [{ index: 0n, validatorIndex: 0n, address: BOB, amount: 1n }],
      },
    ]);
  });

  const refuses = async (change: (header: Header) => Header, message: RegExp): Promise<void> => {
    const [first, second] = builder.blocks as [Block, Block];
    const wrong = { ...second, header: change(second.header) };
    const { error, found } = await importAll(genesis, builder, [first, wrong], headNumber);
    assert.match(error ?? 'imported', message);
    assert.equal(found, 1n);
  };

  test('is imported, and its block access list is stored', async () => {
    const { error, found } = await importAll(genesis, builder, builder.blocks, (reader) =>
      [0n, 1n, 2n, 3n].map((number) => reader.getAccessList(number)),
    );
    assert.equal(error, undefined);
    assert.equal(bytesToHex(found[0] as Uint8Array), '0xc0');
    for (const [i, { header, transactions }] of builder.blocks.entries()) {
      const encoded = found[i + 1] as Uint8Array;
      assert.deepEqual(keccak256(encoded), header.blockAccessListHash);
      const limits = { gasLimit: header.gasLimit, transactions: transactions.length, codeLimit: 65_536 };
      validateBlockAccessList(decodeBlockAccessList(encoded), limits);
    }
    assert.equal(found[3], undefined);
  });

  test('has the larger of regular and state gas as gas used; its receipts have the gas paid', async () => {
    const [first] = builder.blocks as [Block];
    // 183,600 state gas for the new account, which exceeds the 21,000 regular gas.
    assert.equal(first.header.gasUsed, 183_600n);
    const { found } = await importAll(genesis, builder, builder.blocks, (reader) => reader.getReceipts(1n));
    // Cumulative gas 204,600.
    assert.ok(bytesToHex(found as Uint8Array).includes('83031f38'));
  });

  test('is refused with another access list hash, or with the hash of its list in another order', async () => {
    const message = /^block 2: block access list hash mismatch: computed 0x\w{64}, header has 0x\w{64}$/;
    await refuses((header) => ({ ...header, blockAccessListHash: OTHER_HASH }), message);
    const { found } = await importAll(genesis, builder, builder.blocks, (reader) => reader.getAccessList(2n));
    const list = decodeBlockAccessList(found as Uint8Array);
    const backwards = keccak256(encodeBlockAccessList([...list].reverse()));
    await refuses((header) => ({ ...header, blockAccessListHash: backwards }), message);
  });

  test('is refused with another slot number if its code has stored the slot number', async () => {
    const message = /^block 2: block access list hash mismatch/;
    await refuses((header) => ({ ...header, slotNumber: (header.slotNumber ?? 0n) + 1n }), message);
  });

  test('is refused without one of the new fields, or with another requests hash or gas used', async () => {
    await refuses(
      (header) => withoutFields(header, 'blockAccessListHash', 'slotNumber'),
      /^block 2: missing blockAccessListHash$/,
    );
    await refuses((header) => withoutFields(header, 'slotNumber'), /^block 2: missing slotNumber$/);
    await refuses((header) => ({ ...header, requestsHash: OTHER_HASH }), /^block 2: requests hash mismatch/);
    await refuses(
      (header) => ({ ...header, gasUsed: header.gasUsed + 1n }),
      /^block 2: gas used mismatch: computed \d+, header has \d+$/,
    );
  });
});

describe('the Amsterdam transition', () => {
  const genesis = createGenesis({ revision: 'osaka', config: AT_BLOCK_2 });
  const later = createGenesis({ revision: 'osaka' });
  const blocks: readonly BlockParts[] = [
    { transactions: [send(0n, { to: BOB, value: 1n, gasLimit: 21_000n })] },
    { transactions: [send(1n, { to: BOB, value: 1n, gasLimit: 21_000n })] },
  ];

  test('is imported', async () => {
    const builder = await build(genesis, blocks);
    const { error, found } = await importAll(genesis, builder, builder.blocks, (reader) => [
      headNumber(reader),
      reader.getAccessList(1n),
    ]);
    assert.deepEqual([error, found], [undefined, [2n, undefined]]);
    assert.deepEqual(
      builder.blocks.map(({ header }) => header.slotNumber !== undefined),
      [false, true],
    );
  });

  test('new header fields are refused before the fork, and required after it', async () => {
    const [, early] = (await build(later, blocks)).blocks as [Block, Block];
    const builder = await build(genesis, blocks);
    const [first, second] = builder.blocks as [Block, Block];
    const { blockAccessListHash, slotNumber } = second.header;
    const marked = { ...first, header: { ...first.header, blockAccessListHash, slotNumber } as Header };
    const before = await importAll(genesis, builder, [marked], headNumber);
    assert.deepEqual(before, { error: 'block 1: unexpected blockAccessListHash', found: 0n });
    const unmarked = { ...early, header: { ...early.header, parentHash: second.header.parentHash } };
    const after = await importAll(genesis, builder, [first, unmarked], headNumber);
    assert.deepEqual(after, { error: 'block 2: missing blockAccessListHash', found: 1n });
  });

  test('a block is refused if a contract of requests is missing or fails', async () => {
    const builder = await build(genesis, blocks);
    const address = '0x000064d678505ad48f8ccb093bc65613800e8282';
    for (const [code, message] of [
      ['0x', /^block 2: failed to process builder exit queue: empty system contract: no code at 0x0000/],
      [
        '0x5f5ffd',
        /^block 2: failed to process builder exit queue: system call failed.*: execution reverted$/,
      ],
    ] as const) {
      const broken = createGenesis({
        revision: 'osaka',
        config: AT_BLOCK_2,
        alloc: { [address]: { balance: '0', code } },
      });
      const other = await build(broken, blocks.slice(0, 1));
      const [first, second] = [other.blocks[0] as Block, builder.blocks[1] as Block];
      const header = { ...second.header, parentHash: other.hashAt(1) };
      const { error, found } = await importAll(broken, other, [first, { ...second, header }], headNumber);
      assert.match(error ?? 'imported', message);
      assert.equal(found, 1n);
    }
  });
});

describe('limits of Amsterdam blocks', () => {
  const genesis = createGenesis({ revision: 'amsterdam' });
  const make = (...transactions: readonly Transaction[]): Promise<ChainBuilder> =>
    build(genesis, [{ transactions }]);

  test('init code has at most 131,072 bytes', async () => {
    const gasLimit = 16_000_000n;
    const { head } = await make(send(0n, { gasLimit, data: new Uint8Array(131_072) }));
    assert.equal(head.transactions.length, 1);
    await assert.rejects(
      make(send(0n, { gasLimit, data: new Uint8Array(131_073) })),
      /transaction 0: max initcode size exceeded: code size 131073 limit 131072/,
    );
  });

  test('a gas limit above 2^24 pays as state gas for code that 2^24 gas could not pay', async () => {
    const data = deployCode(new Uint8Array(12_000));
    const { head } = await make(send(0n, { gasLimit: 25_000_000n, data }));
    // 183,600 for the account, and 1,530 per byte of code.
    assert.equal(head.header.gasUsed, 183_600n + 1_530n * 12_000n);
  });

  test('floor gas above 2^24 is refused whatever the gas limit', async () => {
    const data = new Uint8Array(262_000);
    const [gasLimit, floor] = [25_000_000n, 15_000n + 64n * 262_000n];
    await assert.rejects(
      make(send(0n, { to: BOB, gasLimit, data })),
      new RegExp(`insufficient gas for floor data gas cost: intrinsic cost \\d+, floor: ${floor}$`),
    );
  });

  test('a transaction must fit into the state gas that the block has left', async () => {
    const store = send(0n, { gasLimit: 25_000_000n, data: deployCode(new Uint8Array(12_000)) });
    // The state gas of the first transaction leaves 11.4 of 30 million.
    await make(store, send(1n, { to: BOB, gasLimit: 11_400_000n }));
    await assert.rejects(
      make(store, send(1n, { to: BOB, gasLimit: 11_500_000n })),
      /transaction 1: gas limit reached$/,
    );
  });

  test('a block access list has at most one account or slot per 2,000 gas of the gas limit', async () => {
    const small = createGenesis({ revision: 'amsterdam', gasLimit: 40_000n });
    const withdrawals = Array.from({ length: 16 }, (_, i) => ({
      index: BigInt(i),
      validatorIndex: 0n,
      address: new Uint8Array(20).fill(i + 1),
      amount: 0n,
    }));
    const builder = await build(small, [{ withdrawals }]);
    const { error } = await importAll(small, builder, builder.blocks, headNumber);
    // The list has the withdrawals' accounts and those of six system contracts.
    assert.equal(error, 'block 1: block access list has 22 accounts and slots, max 20');
  });

  test('nonce and gas limit cap are checked before the gas that the block has left', async () => {
    await assert.rejects(
      make(send(7n, { to: ALICE, gasLimit: 2n ** 33n })),
      /transaction 0: nonce too high: address 0x\w+, tx: 7 state: 0$/,
    );
    await assert.rejects(
      make(send(0n, { to: ALICE, gasLimit: 2n ** 32n })),
      /transaction 0: transaction gas limit too high \(cap: 4294967295, tx: 4294967296\)$/,
    );
  });
});
