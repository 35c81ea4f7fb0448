/**
 * Third-party block tests: uncles, invalid headers and bodies, fork transitions. Every block must be taken or
 * refused as its file says, and the last one be the file's. A linear import follows no side branches: cases that
 * need them are counted, not passed.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeBlock } from '../../src/chain/block.ts';
import { parseGenesis } from '../../src/chain/genesis.ts';
import { BlockError } from '../../src/engine/import/block-error.ts';
import { BlockImporter, initializeStore } from '../../src/engine/import/block-importer.ts';
import { bytesToHex, hexToBytes } from '../../src/primitives/hex.ts';
import { openChainWriter } from '../../src/store/chain-writer.ts';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';

type BlockCase = { readonly rlp: string; readonly expectException?: string };
type ChainCase = {
  readonly network: string;
  readonly genesisBlockHeader: Readonly<Record<string, string>>;
  readonly pre: unknown;
  readonly blocks: readonly BlockCase[];
  readonly lastblockhash: string;
};
type Outcome = 'passed' | 'needs a side branch' | `failed: ${string}`;

const SIDE_BRANCH_CASES = 27;
const CASES = 1442;

const BLOCK_FORKS = [
  'homestead',
  'eip150',
  'eip158',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
  'arrowGlacier',
  'grayGlacier',
];

function upTo(last: string): Record<string, number> {
  const forks = BLOCK_FORKS.slice(0, BLOCK_FORKS.indexOf(last) + 1);
  return { chainId: 1, ...Object.fromEntries(forks.map((fork) => [`${fork}Block`, 0])) };
}

const MERGED = { ...upTo('grayGlacier'), terminalTotalDifficulty: 0 };

const NETWORKS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Istanbul: upTo('istanbul'),
  Berlin: upTo('berlin'),
  London: upTo('london'),
  Paris: MERGED,
  Shanghai: { ...MERGED, shanghaiTime: 0 },
  Cancun: { ...MERGED, shanghaiTime: 0, cancunTime: 0 },
  FrontierToHomesteadAt5: { chainId: 1, homesteadBlock: 5 },
  HomesteadToDaoAt5: { chainId: 1, homesteadBlock: 0, daoForkBlock: 5, daoForkSupport: true },
  ByzantiumToConstantinopleFixAt5: { ...upTo('byzantium'), constantinopleBlock: 5, petersburgBlock: 5 },
  BerlinToLondonAt5: { ...upTo('berlin'), londonBlock: 5 },
  ArrowGlacierToParisAtDiffC0000: { ...upTo('arrowGlacier'), terminalTotalDifficulty: 0xc0000 },
  ParisToShanghaiAtTime15k: { ...MERGED, shanghaiTime: 15_000 },
};

/** The file's genesis header, under the names of a geth genesis file. */
function createGenesis({ network, genesisBlockHeader, pre }: ChainCase): string {
  return JSON.stringify({ ...genesisBlockHeader, config: NETWORKS[network], alloc: pre });
}

function readParentHash(rlp: Uint8Array): string | undefined {
  try {
    return bytesToHex(decodeBlock(rlp).header.parentHash);
  } catch {
    return undefined;
  }
}

async function importBlocks(importer: BlockImporter, { blocks, lastblockhash }: ChainCase): Promise<Outcome> {
  for (const [index, { rlp, expectException }] of blocks.entries()) {
    const encoded = hexToBytes(rlp);
    const head = importer.headHash;
    let refusal: BlockError | undefined;
    try {
      await importer.import(encoded);
    } catch (error) {
      if (!(error instanceof BlockError)) throw error;
      refusal = error;
    }
    if (expectException !== undefined && refusal === undefined) {
      return `failed: block ${index} was taken in spite of ${expectException}`;
    }
    if (expectException === undefined && refusal !== undefined) {
      if (readParentHash(encoded) !== head) return 'needs a side branch';
      return `failed: ${refusal.message}`;
    }
  }
  return importer.headHash === lastblockhash ? 'passed' : 'failed: another head';
}

async function runCase(chainCase: ChainCase): Promise<Outcome> {
  const genesis = createGenesis(chainCase);
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-test-'));
  const writer = openChainWriter(folder);
  try {
    initializeStore(writer, parseGenesis(genesis), JSON.stringify(NETWORKS[chainCase.network]));
    const importer = new BlockImporter(writer, 'ethash-format');
    assert.equal(importer.headHash, chainCase.genesisBlockHeader['hash']);
    return await importBlocks(importer, chainCase);
  } finally {
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const root = findVectors('blockchain-uncles');

test('block tests', { skip: root === undefined && SKIP_REASON, timeout: 240_000 }, async (t) => {
  const counts = { passed: 0, 'needs a side branch': 0 };
  const failures: string[] = [];
  const files = readdirSync(root as string, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.json'))) {
    const cases = JSON.parse(readFileSync(join(root as string, file), 'utf8')) as Record<string, ChainCase>;
    for (const [name, chainCase] of Object.entries(cases)) {
      const outcome = await runCase(chainCase);
      if (outcome === 'passed' || outcome === 'needs a side branch') counts[outcome]++;
      else failures.push(`${file} ${name}: ${outcome}`);
    }
  }
  t.diagnostic(`${counts.passed} passed, ${counts['needs a side branch']} need side branches`);
  assert.deepEqual(failures, []);
  assert.deepEqual(counts, { passed: CASES - SIDE_BRANCH_CASES, 'needs a side branch': SIDE_BRANCH_CASES });
});
