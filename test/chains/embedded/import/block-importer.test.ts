/** A block with one defect is refused with its number and the mismatch; the blocks before it remain stored. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type Block, encodeBlock } from '../../../../packages/ethereum/codecs/block.ts';
import { type Header, hashHeader } from '../../../../packages/ethereum/codecs/header.ts';
import { computeOrderedRoot } from '../../../../packages/ethereum/primitives/ordered-root.ts';
import { BlockError } from '../../../../packages/evm/transition/block-error.ts';
import { BlockImporter } from '../../../../src/chains/embedded/import/block-importer.ts';
import { initializeStore } from '../../../../src/chains/embedded/import/initialize-store.ts';
import { openChainWriter } from '../../../../src/chains/embedded/store/chain-writer.ts';
import { ChainBuilder, signTransaction } from '../../../support/chain-builder.ts';
import { countRuns } from '../../../support/count-runs.ts';
import { makeTemporaryFolder } from '../../../support/embedded.ts';
import { ALICE, ALICE_KEY, createGenesis } from '../../../support/test-chain.ts';

const BOB = new Uint8Array(20).fill(0xb0);
const OTHER_HASH = new Uint8Array(32).fill(0x99);
const BLOB_HASH = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0));

/** Blocks 1 to 3: a transfer, a blob and a withdrawal, and a contract that logs. */
async function buildMerged(): Promise<[string, ChainBuilder]> {
  const genesis = createGenesis({ revision: 'osaka' });
  const builder = new ChainBuilder(genesis);
  await builder.add({ transactions: [signTransaction(ALICE_KEY, { nonce: 0n, to: BOB, value: 1n })] });
  await builder.add({
    transactions: [
      signTransaction(ALICE_KEY, { type: 3, nonce: 1n, to: BOB, blobVersionedHashes: [BLOB_HASH] }),
    ],
    withdrawals: [{ index: 0n, validatorIndex: 7n, address: BOB, amount: 5n }],
  });
  // Init code that emits an empty log without topics and creates an empty contract.
  const logs = Uint8Array.of(0x5f, 0x5f, 0xa0);
  await builder.add({ transactions: [signTransaction(ALICE_KEY, { nonce: 2n, data: logs })] });
  return [genesis, builder];
}

/** Proof of work: block 3 has block 2's sibling as its uncle. */
async function buildMined(): Promise<[string, ChainBuilder]> {
  const genesis = createGenesis({ revision: 'berlin' });
  const builder = new ChainBuilder(genesis);
  await builder.add();
  const sibling = new ChainBuilder(genesis);
  await sibling.add();
  const uncle = await sibling.add({ beneficiary: BOB, delay: 5n });
  await builder.add();
  await builder.add({ uncles: [uncle.header], beneficiary: ALICE });
  return [genesis, builder];
}

/** Imports all blocks but the last, then `last`. */
async function importWith(
  genesis: string,
  builder: ChainBuilder,
  last: Uint8Array,
): Promise<{ error: unknown; storedHead: bigint }> {
  const folder = makeTemporaryFolder();
  const writer = openChainWriter(folder.path);
  try {
    initializeStore(writer, builder.genesis, JSON.stringify(JSON.parse(genesis).config));
    const importer = new BlockImporter(writer, 'ethash-format');
    for (const block of builder.blocks.slice(0, -1)) importer.import(encodeBlock(block));
    let error: unknown;
    try {
      importer.import(last);
    } catch (reason) {
      error = reason;
    }
    importer.commit();
    return { error, storedHead: writer.openReader().head.header.number };
  } finally {
    await writer.close();
    folder.remove();
  }
}

type Change = readonly [name: string, change: (header: Header) => Partial<Header>, message: RegExp];

const COMMON: readonly Change[] = [
  ['number', () => ({ number: 9n }), /^block 9: number 9 after 2$/],
  ['parent hash', () => ({ parentHash: OTHER_HASH }), /^block 3: parent hash mismatch$/],
  [
    'timestamp',
    (h) => ({ timestamp: h.timestamp - 12n }),
    /^block 3: timestamp \d+ is not after the parent's \d+$/,
  ],
  ['extra data', () => ({ extraData: new Uint8Array(33) }), /^block 3: extra data has 33 bytes, max 32$/],
  ['gas limit', (h) => ({ gasLimit: h.gasLimit + 30_000n }), /^block 3: gas limit 30030000 after 30000000$/],
  [
    'gas used',
    (h) => ({ gasUsed: h.gasUsed + 1n }),
    /^block 3: gas used mismatch: computed \d+, header has \d+$/,
  ],
  [
    'gas used above the limit',
    (h) => ({ gasUsed: h.gasLimit + 1n }),
    /^block 3: gas used 30000001 is above the limit/,
  ],
  [
    'state root',
    () => ({ stateRoot: OTHER_HASH }),
    /^block 3: state root mismatch: computed 0x\w+, header has 0x99/,
  ],
  ['receipts root', () => ({ receiptsRoot: OTHER_HASH }), /^block 3: receipts root mismatch: computed 0x/],
  [
    'logs bloom',
    () => ({ logsBloom: new Uint8Array(256).fill(1) }),
    /^block 3: logs bloom mismatch: computed 0x/,
  ],
  [
    'transactions root',
    () => ({ transactionsRoot: OTHER_HASH }),
    /^block 3: transactions root mismatch: body has 0x/,
  ],
];

const MERGED: readonly Change[] = [
  ...COMMON,
  ['uncles hash', () => ({ ommersHash: OTHER_HASH }), /^block 3: uncles after the merge$/],
  ['difficulty', () => ({ difficulty: 1n }), /^block 3: difficulty 1 after the merge$/],
  ['nonce', () => ({ nonce: new Uint8Array(8).fill(1) }), /^block 3: nonce is not zero after the merge$/],
  ['base fee', (h) => ({ baseFeePerGas: (h.baseFeePerGas ?? 0n) + 1n }), /^block 3: base fee \d+, want \d+$/],
  [
    'withdrawals root',
    () => ({ withdrawalsRoot: OTHER_HASH }),
    /^block 3: withdrawals root mismatch: body has 0x/,
  ],
  ['requests hash', () => ({ requestsHash: OTHER_HASH }), /^block 3: requests hash mismatch: computed 0x/],
  ['excess blob gas', () => ({ excessBlobGas: 131_072n }), /^block 3: excess blob gas 131072, want 0$/],
  [
    'blob gas used',
    () => ({ blobGasUsed: 131_072n }),
    /^block 3: blob gas used mismatch: body has 0, header 131072$/,
  ],
  ['part of a blob', () => ({ blobGasUsed: 1n }), /^block 3: blob gas used 1, max 1179648$/],
];

const MINED: readonly Change[] = [
  ...COMMON,
  ['uncles hash', () => ({ ommersHash: OTHER_HASH }), /^block 3: uncles hash mismatch: body has 0x/],
  ['difficulty', (h) => ({ difficulty: h.difficulty + 1n }), /^block 3: difficulty \d+, want \d+$/],
  ['base fee before London', () => ({ baseFeePerGas: 7n }), /^block 3: unexpected baseFeePerGas$/],
];

for (const [kind, build, changes] of [
  ['merged', buildMerged, MERGED],
  ['mined', buildMined, MINED],
] as const) {
  describe(`import of a ${kind} block, by wrong field`, () => {
    let genesis: string;
    let builder: ChainBuilder;
    before(async () => {
      [genesis, builder] = await build();
    });

    test('none: the block is imported', async () => {
      assert.deepEqual(await importWith(genesis, builder, encodeBlock(builder.head)), {
        error: undefined,
        storedHead: 3n,
      });
    });

    for (const [name, change, message] of changes) {
      test(name, async () => {
        const { head } = builder;
        const wrong: Block = { ...head, header: { ...head.header, ...change(head.header) } };
        const { error, storedHead } = await importWith(genesis, builder, encodeBlock(wrong));
        assert.ok(error instanceof BlockError, String((error as Error | undefined)?.stack));
        assert.match(error.message, message);
        assert.equal(storedHead, 2n);
      });
    }
  });
}

describe('a block with an invalid body', () => {
  let genesis: string;
  let builder: ChainBuilder;
  before(async () => {
    [genesis, builder] = await buildMined();
  });

  /** Block 3 with these uncles; all fields that depend on them are valid except the rewards. */
  async function refuses(uncles: readonly Header[], message: RegExp): Promise<void> {
    const copy = new ChainBuilder(genesis);
    await copy.add();
    await copy.add();
    const block = await copy.add({ uncles, beneficiary: ALICE });
    const { error } = await importWith(genesis, builder, encodeBlock(block));
    assert.ok(error instanceof BlockError, String(error));
    assert.match(error.message, message);
  }

  test('is refused for invalid uncles', async () => {
    const [uncle] = builder.head.uncles as [Header];
    const [first, second] = builder.blocks as [Block, Block, Block];
    await refuses([uncle, uncle], /^block 3: uncle 1 was included before$/);
    await refuses([second.header], /^block 3: uncle 0 is an ancestor$/);
    await refuses(
      [{ ...uncle, parentHash: OTHER_HASH }],
      /^block 3: the parent of uncle 0 is not an ancestor of this block$/,
    );
    await refuses(
      [{ ...uncle, parentHash: hashHeader(second.header) }],
      /^block 3: the parent of uncle 0 is not an ancestor/,
    );
    await refuses([{ ...uncle, difficulty: 1n }], /^block 3: uncle 0: difficulty 1, want \d+$/);
    await refuses([{ ...uncle, number: first.header.number }], /^block 3: uncle 0: number 1 after 1$/);
    const three = [1n, 2n, 3n].map((gasUsed) => ({ ...uncle, gasUsed }));
    await refuses(three, /^block 3: 3 uncles, max 2$/);
  });

  test('is refused for a transaction that cannot be executed', async () => {
    const transactions = [
      [
        signTransaction(ALICE_KEY, { type: 0, nonce: 1n, to: BOB }),
        /nonce too high: address 0x\w+, tx: 1 state: 0/,
      ],
      [
        signTransaction(ALICE_KEY, { type: 0, chainId: 5n, to: BOB }),
        /invalid chain id for signer: have 5 want 1337/,
      ],
      [signTransaction(ALICE_KEY, { type: 2, to: BOB }), /transaction type not supported/],
      [signTransaction(ALICE_KEY, { type: 0, gasLimit: 40_000_000n, to: BOB }), /gas limit reached/],
      [signTransaction(OTHER_HASH, { type: 0, to: BOB }), /insufficient funds for gas \* price \+ value/],
      [signTransaction(ALICE_KEY, { type: 0, gasLimit: 20_999n, to: BOB }), /intrinsic gas too low/],
    ] as const;
    for (const [transaction, message] of transactions) {
      const { head } = builder;
      const body = new ChainBuilder(genesis);
      await body.add();
      await body.add();
      await assert.rejects(body.add({ transactions: [transaction] }), message);
      // The same transaction in a block whose transactions root matches.
      const transactionsRoot = computeOrderedRoot([transaction.encoded]);
      const block = { ...head, transactions: [transaction], header: { ...head.header, transactionsRoot } };
      const { error, storedHead } = await importWith(genesis, builder, encodeBlock(block));
      assert.ok(error instanceof BlockError, String(error));
      assert.match(error.message, new RegExp(`^block 3: transaction 0: ${message.source}`));
      assert.equal(storedHead, 2n);
    }
  });
});

test("a chain without its system contracts is refused with the block's number", async () => {
  const [genesis, builder] = await buildMerged();
  const withoutContract = JSON.parse(genesis);
  delete withoutContract.alloc['0x00000961ef480eb55e80d19ad83579a64c007002'];
  const text = JSON.stringify(withoutContract);
  const other = new ChainBuilder(text);
  const block = builder.blocks[0] as Block;
  const header = { ...block.header, parentHash: other.hashAt(0) };
  const folder = makeTemporaryFolder();
  const writer = openChainWriter(folder.path);
  initializeStore(writer, other.genesis, JSON.stringify(withoutContract.config));
  const importer = new BlockImporter(writer, 'ethash-format');
  assert.throws(
    () => importer.import(encodeBlock({ ...block, header })),
    new BlockError(
      'block 1: failed to process withdrawal queue: empty system contract: no code at 0x00000961Ef480Eb55e80D19ad83579A64c007002',
    ),
  );
  await writer.close();
  folder.remove();
});

describe('invalid encodings of blocks', () => {
  const folder = makeTemporaryFolder();
  let importer: BlockImporter;
  let valid: Uint8Array;
  /** Offsets of bytes of unconstrained fields: changing one may make a different valid block. */
  let free: Set<number>;
  let writer: ReturnType<typeof openChainWriter>;
  before(async () => {
    const [genesis, builder] = await buildMerged();
    writer = openChainWriter(folder.path);
    initializeStore(writer, builder.genesis, JSON.stringify(JSON.parse(genesis).config));
    importer = new BlockImporter(writer, 'ethash-format');
    for (const block of builder.blocks.slice(0, -1)) importer.import(encodeBlock(block));
    importer.commit();
    const { head } = builder;
    valid = encodeBlock(head);
    const ones = new Uint8Array(32).fill(255);
    const { timestamp, gasLimit } = head.header;
    const changes = {
      mixHash: ones,
      parentBeaconBlockRoot: ones,
      timestamp: timestamp ^ 0xffffffffn,
      gasLimit: gasLimit ^ 0xffffffffn,
      // RLP encodes this byte in one byte, like the empty string that it replaces.
      extraData: Uint8Array.of(1),
    };
    const other = encodeBlock({ ...head, header: { ...head.header, ...changes } });
    free = new Set([...valid.keys()].filter((at) => valid[at] !== other[at]));
    assert.equal(free.size, 32 + 32 + 4 + 4 + 1);
  });
  after(async () => {
    await writer.close();
    folder.remove();
  });

  const isRefused = async (bytes: Uint8Array): Promise<void> => {
    assert.throws(() => importer.import(bytes), BlockError);
    assert.equal(importer.headNumber, 2n);
  };

  test('arbitrary bytes are refused', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 2_000, size: 'max' }), isRefused), {
      numRuns: countRuns(500),
    });
  });

  test('a block with one byte changed, or truncated, is refused', async () => {
    const place = fc.nat(valid.length - 1);
    const change = fc.tuple(
      place.filter((at) => !free.has(at)),
      fc.integer({ min: 1, max: 255 }),
    );
    await fc.assert(
      fc.asyncProperty(change, ([at, difference]) => {
        const bytes = valid.slice();
        bytes[at] = (bytes[at] as number) ^ difference;
        return isRefused(bytes);
      }),
      { numRuns: countRuns(500) },
    );
    await fc.assert(
      fc.asyncProperty(place, (length) => isRefused(valid.subarray(0, length))),
      { numRuns: countRuns(200) },
    );
  });
});
