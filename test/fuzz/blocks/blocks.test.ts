/** The short form of `npm run fuzz -- --oracle geth`, and the harness itself. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { EVM_SKIP } from '../../geth/node/geth-program.ts';
import type { BlockCase } from './block-case.ts';
import { decodeBlockCase, encodeBlockCase } from './block-json.ts';
import { type BlockOutcome, compareBlockOutcomes } from './block-outcome.ts';
import { generateBlock } from './generate-block.ts';
import { GETH } from './geth-oracle.ts';
import { PortcullisEngine } from './portcullis-engine.ts';
import { findBlockDifference, runBlockFuzz } from './run-block-fuzz.ts';
import { shrinkBlock } from './shrink-block.ts';

const CORPUS = resolve(import.meta.dirname, '../../../../test/fuzz/blocks/corpus');
const BLOCKS = 25;

for (const revision of ['osaka', 'amsterdam'] as const) {
  test(`${BLOCKS} random blocks of ${revision} as geth executes them`, { skip: EVM_SKIP }, async () => {
    const options = { revision, seconds: 120, blocks: BLOCKS, seed: 7, first: 0 };
    const { differences, transactions } = await runBlockFuzz(GETH, options);
    assert.deepEqual([...differences.keys()], []);
    assert.ok(transactions > BLOCKS);
  });
}

test('blocks that once differed', { skip: EVM_SKIP }, async () => {
  const engine = new PortcullisEngine();
  const names = existsSync(CORPUS) ? readdirSync(CORPUS) : [];
  for (const name of names) {
    const { blockCase } = decodeBlockCase(readFileSync(join(CORPUS, name), 'utf8'));
    assert.equal(await findBlockDifference(blockCase, engine, GETH), undefined, name);
  }
});

/** A block that the engine executes without anything refused. */
function someBlock(): { readonly blockCase: BlockCase; readonly outcome: BlockOutcome } {
  const engine = new PortcullisEngine();
  for (let index = 0; ; index++) {
    const blockCase = generateBlock(1, index, 'amsterdam');
    const outcome = engine.run(blockCase);
    if (outcome.rejected.size === 0 && outcome.receipts.some(({ logs }) => logs.length > 0))
      return { blockCase, outcome };
  }
}

test('every part of an outcome is compared', () => {
  const { outcome } = someBlock();
  assert.equal(compareBlockOutcomes(outcome, structuredClone(outcome)), undefined);
  const [first, ...others] = outcome.receipts;
  assert.ok(first !== undefined);
  const receipt = (change: object): Partial<BlockOutcome> => ({
    receipts: [{ ...first, ...change }, ...others],
  });
  const [address, account] = [...outcome.accounts][0] as [
    string,
    typeof outcome.accounts extends ReadonlyMap<string, infer A> ? A : never,
  ];
  const changes: readonly (readonly [RegExp, Partial<BlockOutcome>])[] = [
    [/^status of receipt 0/, receipt({ status: 7n })],
    [/^gas used of receipt 0/, receipt({ gasUsed: 7n })],
    [/^cumulative gas of receipt 0/, receipt({ cumulativeGasUsed: 7n })],
    [/^log \d+ of receipt 0/, receipt({ logs: [...first.logs, '0x'] })],
    [/^number of receipts/, { receipts: [...outcome.receipts, first] }],
    [/^gas used of the block/, { gasUsed: 7n }],
    [/^requests hash/, { requestsHash: '0x' }],
    [
      /^nonce of/,
      { accounts: new Map([...outcome.accounts, [address, { ...account, nonce: account.nonce + 1n }]]) },
    ],
    [/^access list/, { accessList: '0xc0' }],
    [/^refusal of transaction 0/, { rejected: new Map([[0, 'no']]) }],
    [/^failure of the block/, { failure: 'no' }],
  ];
  for (const [pattern, change] of changes) {
    assert.match(compareBlockOutcomes(outcome, { ...outcome, ...change }) ?? 'equal', pattern);
  }
});

test('a block survives being written and read', () => {
  const { blockCase, outcome } = someBlock();
  const read = decodeBlockCase(encodeBlockCase({ note: 'a note', blockCase }));
  assert.equal(read.note, 'a note');
  assert.deepEqual(read.blockCase, blockCase);
  assert.equal(compareBlockOutcomes(outcome, new PortcullisEngine().run(read.blockCase)), undefined);
});

test('a failing block becomes small', async () => {
  const { blockCase } = someBlock();
  const engine = new PortcullisEngine();
  const hasLog = async (candidate: BlockCase): Promise<boolean> => {
    const { receipts, rejected } = engine.run(candidate);
    return rejected.size === 0 && receipts.some(({ logs }) => logs.length > 0);
  };
  const small = await shrinkBlock(blockCase, hasLog);
  assert.ok(await hasLog(small));
  assert.equal(small.transactions.length, 1);
});
