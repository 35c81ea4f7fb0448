/** Files for `portcullis import`: complete, compressed, cut off, repeated, of another chain, or not blocks at all. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Block, encodeBlock } from '../../packages/ethereum/codecs/block.ts';
import { type Header, hashHeader } from '../../packages/ethereum/codecs/header.ts';
import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { MAIN } from '../../scripts/program-files.ts';
import { openChainReader } from '../../src/chains/embedded/store/chain-reader.ts';
import { type ImportOptions, type ImportSummary, importChain } from '../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../src/service/import-progress.ts';
import { ChainBuilder, signTransaction } from '../support/chain-builder.ts';
import { countRuns } from '../support/count-runs.ts';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { ALICE_KEY, createGenesis } from '../support/test-chain.ts';

const BLOCKS = 12;

describe('import', () => {
  const folder = makeTemporaryFolder();
  const genesisText = createGenesis({ revision: 'cancun' });
  const builder = new ChainBuilder(genesisText);
  const genesis = join(folder.path, 'genesis.json');
  let stores = 0;
  let files = 0;

  before(async () => {
    writeFileSync(genesis, genesisText);
    for (let i = 0; i < BLOCKS; i++) {
      const to = new Uint8Array(20).fill(i + 1);
      const transfer = signTransaction(ALICE_KEY, { nonce: BigInt(i), to, value: 1n, gasLimit: 21_000n });
      await builder.add({ transactions: [transfer] });
    }
  });
  after(() => folder.remove());

  const newStore = (): string => join(folder.path, `store${stores++}`);
  const newFile = (bytes: Uint8Array): string => {
    const path = join(folder.path, `blocks${files++}`);
    writeFileSync(path, bytes);
    return path;
  };
  const run = (
    bytes: Uint8Array,
    data: string,
    options: Partial<ImportOptions> = {},
  ): Promise<ImportSummary> =>
    importChain(
      { genesis, blocks: newFile(bytes), data, seal: 'ethash-format', ...options },
      SILENT_PROGRESS,
    );
  const headText = (): string => bytesToHex(builder.hashAt(BLOCKS));
  const encodeRange = (from: number, to: number): Uint8Array =>
    concatBytes(...builder.blocks.slice(from, to).map(encodeBlock));

  /** Encodes block 0, whose import makes a store with nothing else in it. */
  const genesisOnly = (): Uint8Array => encodeBlock(builder.genesisBlock);

  async function storedHead(data: string): Promise<bigint> {
    const reader = openChainReader(data);
    const { number } = reader.head.header;
    await reader.close();
    return number;
  }

  test('accepts plain and compressed files, with and without block 0', async () => {
    const withGenesis = concatBytes(encodeBlock(builder.genesisBlock), builder.encode());
    for (const bytes of [builder.encode(), gzipSync(builder.encode()), withGenesis]) {
      assert.deepEqual(await run(bytes, newStore()), {
        headNumber: BigInt(BLOCKS),
        headHash: headText(),
        imported: BLOCKS,
      });
    }
  });

  test('refuses a block that needs more memory than the EVM has, with its number and the option', async () => {
    const large = new ChainBuilder(genesisText);
    // MSTORE at 2 MiB in init code, which needs that much memory.
    const data = hexToBytes('0x60006220000052');
    const creation = { nonce: 0n, to: undefined, value: 0n, data, gasLimit: 12_000_000n };
    await large.add({ transactions: [signTransaction(ALICE_KEY, creation)] });
    const store = newStore();
    await assert.rejects(
      run(large.encode(), store, { callMemory: 1 << 20 }),
      /^ImportError: refused: .*: block 1: .*memory limit.*: import with a higher --call-memory \(MiB, at most 1024\); 0 blocks/,
    );
    assert.equal((await run(large.encode(), store, { callMemory: 8 << 20 })).imported, 1);
  });

  test('continues where it stopped, and skips known blocks', async () => {
    const data = newStore();
    assert.equal((await run(encodeRange(0, 5), data)).headNumber, 5n);
    assert.equal((await run(builder.encode(), data)).imported, BLOCKS - 5);
    assert.deepEqual(await run(builder.encode(), data), {
      headNumber: BigInt(BLOCKS),
      headHash: headText(),
      imported: 0,
    });
    assert.equal((await run(genesisOnly(), data)).headHash, headText());
  });

  test('skips repeated blocks, even before the new ones are committed', async () => {
    const long = new ChainBuilder(genesisText);
    for (let i = 0; i < 300; i++) await long.add({});
    const twice = concatBytes(encodeBlock(long.genesisBlock), long.encode(), long.encode());
    assert.equal((await run(twice, newStore())).imported, 300);
  });

  test('stores the complete blocks of a file that ends inside a block', async () => {
    const bytes = builder.encode();
    for (const missing of [1, 100, encodeBlock(builder.head).length - 1]) {
      const data = newStore();
      await assert.rejects(
        run(bytes.subarray(0, -missing), data),
        /^ImportError: \S+: the file ends inside a block; 11 blocks of this run stored, head is block 11 0x\w{64}$/,
      );
      assert.equal(await storedHead(data), BigInt(BLOCKS - 1));
      assert.equal((await run(bytes, data)).headHash, headText());
    }
    await assert.rejects(
      run(gzipSync(bytes).subarray(0, -20), newStore()),
      /its compressed data is truncated; \d+ block/,
    );
  });

  test('stores nothing after a wrong block', async () => {
    const data = newStore();
    const bytes = concatBytes(encodeRange(0, 4), encodeRange(5, BLOCKS));
    await assert.rejects(
      run(bytes, data),
      /^ImportError: refused: \S+: block 6: number 6 after 4; 4 blocks of this run stored, head is block 4 0x/,
    );
    assert.equal(await storedHead(data), 4n);
    assert.equal((await run(builder.encode(), data)).headHash, headText());
  });

  test('refuses another genesis, and another chain from the same genesis', async () => {
    const data = newStore();
    await run(encodeRange(0, 3), data);
    const otherText = createGenesis({ revision: 'cancun', gasLimit: 20_000_000n });
    const other = join(folder.path, 'other.json');
    writeFileSync(other, otherText);
    await assert.rejects(
      run(builder.encode(), data, { genesis: other }),
      /^ImportError: refused: \S+other\.json: wrong genesis: the store's block 0 is 0x\w{64}, the genesis file's is 0x\w{64}$/,
    );
    const otherChain = new ChainBuilder(otherText);
    const otherBlock = encodeBlock(otherChain.genesisBlock);
    await otherChain.add({});
    for (const store of [data, newStore()]) {
      await assert.rejects(
        run(otherChain.encode(), store),
        new RegExp(
          `: block 1: wrong genesis: this block follows ${bytesToHex(otherChain.hashAt(0))}, the store's is ${bytesToHex(builder.hashAt(0))}; 0 blocks`,
        ),
      );
    }
    await assert.rejects(
      run(otherBlock, data),
      new RegExp(
        `: block 0: wrong genesis: this is ${bytesToHex(otherChain.hashAt(0))}, the store's is ${bytesToHex(builder.hashAt(0))}; 0 blocks`,
      ),
    );
    const fork = new ChainBuilder(genesisText);
    await fork.add({ delay: 13n });
    await assert.rejects(
      run(fork.encode(), data),
      /: block 1: 0x\w{64} differs from the stored block, which is 0x\w{64}; 0 blocks of this run stored, head is block 3 /,
    );
    assert.equal(await storedHead(data), 3n);
  });

  /** Changes one header of the chain, and relinks every block to its changed parent. */
  function alter(number: number, change: Partial<Header>): readonly Block[] {
    const blocks: Block[] = [];
    for (const block of builder.blocks) {
      const before = blocks.at(-1);
      const link = before === undefined ? {} : { parentHash: hashHeader(before.header) };
      const changed = block.header.number === BigInt(number) ? change : {};
      blocks.push({ ...block, header: { ...block.header, ...link, ...changed } });
    }
    return blocks;
  }
  const encodeAll = (blocks: readonly Block[]): Uint8Array => concatBytes(...blocks.map(encodeBlock));
  const WRONG = new Uint8Array(32).fill(0x99);

  describe('import --verify', () => {
    test('full compares the state root of every block', async () => {
      const data = newStore();
      const bytes = encodeAll(alter(6, { stateRoot: WRONG }));
      await assert.rejects(
        run(bytes, data),
        /^ImportError: refused: \S+: block 6: state root mismatch: computed 0x/,
      );
      assert.equal(await storedHead(data), 5n);
    });

    test('header compares the state root at the end of each commit, and all other fields at every block', async () => {
      const wrongEnd = newStore();
      await assert.rejects(
        run(encodeAll(alter(BLOCKS, { stateRoot: WRONG })), wrongEnd, { verify: 'header' }),
        /^ImportError: refused: \S+: blocks \d+ to 12: state root mismatch: computed 0x\w{64}, header has 0x9999/,
      );
      assert.ok((await storedHead(wrongEnd)) < BigInt(BLOCKS));
      for (const change of [{ receiptsRoot: WRONG }, { gasUsed: 1n }, { baseFeePerGas: 0n }]) {
        const data = newStore();
        await assert.rejects(
          run(encodeAll(alter(6, change)), data, { verify: 'header' }),
          /^ImportError: refused: \S+: block 6: /,
        );
        assert.equal(await storedHead(data), 5n);
      }
      assert.equal((await run(builder.encode(), newStore(), { verify: 'header' })).headHash, headText());
    });

    test('none compares no results, but still checks that blocks are consecutive and transactions executable', async () => {
      const wrong = {
        stateRoot: WRONG,
        receiptsRoot: WRONG,
        gasUsed: 1n,
        baseFeePerGas: 1n,
        transactionsRoot: WRONG,
      };
      assert.equal((await run(encodeAll(alter(6, wrong)), newStore(), { verify: 'none' })).imported, BLOCKS);
      const data = newStore();
      await assert.rejects(
        run(concatBytes(encodeRange(0, 4), encodeRange(5, BLOCKS)), data, { verify: 'none' }),
        /: block 6: number 6 after 4; 4 blocks/,
      );
      const [first, second] = alter(1, {}) as [Block, Block];
      const repeated = { ...second, transactions: first.transactions };
      await assert.rejects(
        run(encodeAll([first, repeated]), newStore(), { verify: 'none' }),
        /: block 2: transaction 0: nonce too low/,
      );
      assert.equal((await run(builder.encode(), data, { verify: 'full' })).headHash, headText());
    });

    test('any other value is refused', () => {
      const args = [
        'import',
        '--genesis',
        genesis,
        '--blocks',
        genesis,
        '--data',
        newStore(),
        '--verify',
        'all',
      ];
      const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
      assert.equal(status, 2);
      assert.match(stderr, /^portcullis: --verify cannot be "all"; there are: full, header, none\n/);
    });
  });

  test('refuses one of two concurrent imports, and the store remains complete', async () => {
    const data = newStore();
    await run(genesisOnly(), data);
    const outcomes = await Promise.allSettled([run(builder.encode(), data), run(builder.encode(), data)]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 1);
    assert.match(
      String(refused[0]?.reason),
      /the store's head moved to block \d+ while importing: is another import running\?; \d+ block/,
    );
    assert.equal(await storedHead(data), BigInt(BLOCKS));
  });

  test('refuses files of arbitrary bytes', async () => {
    const data = newStore();
    await run(genesisOnly(), data);
    // Small lists may look like the beginning of a block that continues after the end of the file.
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300, size: 'max' }), async (bytes) => {
        await assert.rejects(
          run(bytes, data),
          /^ImportError: .*; 0 blocks of this run stored, head is block 0 /,
        );
      }),
      { numRuns: countRuns(200) },
    );
    assert.equal(await storedHead(data), 0n);
    await assert.rejects(run(gzipSync(Uint8Array.of(1, 2, 3)), data), /: not a file of RLP blocks; 0 blocks/);
  });

  test('reports errors of the command in one line', () => {
    const blocks = newFile(encodeRange(1, 2));
    const directory = join(folder.path, 'directory');
    mkdirSync(directory);
    const [empty, emptyPacked] = [newFile(Buffer.alloc(0)), newFile(gzipSync(Buffer.alloc(0)))];
    const malformed = newFile(Buffer.from('{"config":{"chainId":1},"alloc":{"0x01":null}}'));
    const cases: readonly (readonly [string[], RegExp])[] = [
      [
        ['--genesis', genesis, '--blocks', blocks],
        /portcullis: refused: \S+: block 2: number 2 after 0; 0 blocks of this run stored, head is block 0 0x\w+\n$/,
      ],
      [['--genesis', genesis, '--blocks', directory], /portcullis: \S+directory: is a folder\n$/],
      [['--genesis', genesis, '--blocks', 'absent'], /^portcullis: absent: no such file or folder\n$/],
      [
        ['--genesis', malformed, '--blocks', blocks],
        /^portcullis: \S+: genesis: account 0x01 is not an object\n$/,
      ],
      [
        ['--genesis', blocks, '--blocks', blocks],
        /^portcullis: \S+: is not JSON: expected a geth genesis file\n$/,
      ],
      [['--genesis', genesis, '--blocks', empty], /^portcullis: \S+: the file is empty\n$/],
      [['--genesis', empty, '--blocks', blocks], /^portcullis: \S+: the file is empty\n$/],
      [
        ['--genesis', genesis, '--blocks', emptyPacked],
        /portcullis: \S+: holds no block; 0 blocks of this run stored, head is block 0 0x\w+\n$/,
      ],
    ];
    for (const [args, message] of cases) {
      const { status, stderr } = spawnSync(
        process.execPath,
        [MAIN, 'import', ...args, '--data', newStore()],
        {
          encoding: 'utf8',
        },
      );
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n {4}at /);
      assert.equal(status, 1);
    }
  });
});

describe('openChainReader', () => {
  test('reports a missing store, and does not create it', () => {
    const folder = makeTemporaryFolder();
    const path = join(folder.path, 'absent');
    assert.throws(() => openChainReader(path), new Error(`there is no chain store in ${path}`));
    assert.throws(() => openChainReader(path), new Error(`there is no chain store in ${path}`));
    folder.remove();
  });
});
