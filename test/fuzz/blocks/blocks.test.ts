/** The short form of `npm run check -- fuzz` with blocks, and tests of the harness. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { test } from 'node:test';
import { EVM_SKIP } from '../../geth/node/geth-program.ts';
import type { BlockCase } from './block-case.ts';
import { decodeBlockCase, encodeBlockCase } from './block-json.ts';
import { type BlockOutcome, compareBlockOutcomes, failedBlock } from './block-outcome.ts';
import { VM_CORRECTIONS } from './ethereumjs-corrections.ts';
import { EthereumjsOracle } from './ethereumjs-oracle.ts';
import { generateBlock } from './generate-block.ts';
import { GETH } from './geth-oracle.ts';
import { PortcullisEngine } from './portcullis-engine.ts';
import { findBlockDifference, runBlockFuzz } from './run-block-fuzz.ts';
import { shrinkBlock } from './shrink-block.ts';

const CORPUS = resolve(import.meta.dirname, '../../../../test/fuzz/blocks/corpus');
const ORACLES = [
  { oracle: GETH, skip: EVM_SKIP, seed: 7, blocks: 25 },
  // The first blocks of this seed take the library less than 0.2 s of processor time each; some blocks take seconds.
  { oracle: new EthereumjsOracle(), skip: false, seed: 8, blocks: 8 },
];

const savedBlock = (name: string): BlockCase =>
  decodeBlockCase(readFileSync(join(CORPUS, `${name}.json`), 'utf8')).blockCase;

for (const { oracle, skip, seed, blocks } of ORACLES) {
  for (const revision of ['osaka', 'amsterdam'] as const) {
    test(`${blocks} random blocks of ${revision} have the same outcome as from ${oracle.name}`, {
      skip,
    }, async () => {
      const options = { revision, seconds: Number.POSITIVE_INFINITY, blocks, seed, first: 0 };
      const { differences, transactions } = await runBlockFuzz(oracle, options);
      assert.deepEqual([...differences.keys()], []);
      assert.ok(transactions > blocks);
    });
  }

  test(`blocks of the corpus have the same outcome as from ${oracle.name}`, { skip }, async () => {
    const engine = new PortcullisEngine();
    for (const file of readdirSync(CORPUS)) {
      const difference = await findBlockDifference(savedBlock(parse(file).name), engine, oracle);
      assert.equal(difference, undefined, file);
    }
  });
}

for (const correction of VM_CORRECTIONS) {
  test(`a missing correction causes a difference: ${correction.fault}`, async () => {
    const uncorrected = new EthereumjsOracle(VM_CORRECTIONS.filter((other) => other !== correction));
    const engine = new PortcullisEngine();
    assert.notEqual(await findBlockDifference(savedBlock(correction.block), engine, uncorrected), undefined);
  });
}

/** Finds a block that the engine executes without any refusal. */
async function someBlock(): Promise<{ readonly blockCase: BlockCase; readonly outcome: BlockOutcome }> {
  const engine = new PortcullisEngine();
  for (let index = 0; ; index++) {
    const blockCase = generateBlock(1, index, 'amsterdam');
    const outcome = await engine.run(blockCase);
    if (outcome.rejected.size === 0 && outcome.receipts.some(({ logs }) => logs.length > 0))
      return { blockCase, outcome };
  }
}

test('compareBlockOutcomes compares every part of an outcome', async () => {
  const { outcome } = await someBlock();
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
    [/^execution gas of the block/, { executionGasUsed: 7n }],
    [/^state gas of the block/, { stateGasUsed: 7n }],
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

test('only the presence of a refusal is compared if an oracle has its own error texts', async () => {
  const { outcome } = await someBlock();
  const expected = { ...outcome, hasOwnReasons: true, rejected: new Map([[0, 'no']]) };
  assert.equal(compareBlockOutcomes(expected, { ...outcome, rejected: new Map([[0, 'never']]) }), undefined);
  assert.match(compareBlockOutcomes(expected, outcome) ?? 'equal', /^refusal of transaction 0/);
  const failed = failedBlock('no', true);
  assert.equal(compareBlockOutcomes(failed, failedBlock('never')), undefined);
  assert.match(compareBlockOutcomes(failed, outcome) ?? 'equal', /^failure of the block/);
});

test('a block is unchanged after encoding and decoding', async () => {
  const { blockCase, outcome } = await someBlock();
  const read = decodeBlockCase(encodeBlockCase({ note: 'a note', blockCase }));
  assert.equal(read.note, 'a note');
  assert.deepEqual(read.blockCase, blockCase);
  assert.equal(compareBlockOutcomes(outcome, await new PortcullisEngine().run(read.blockCase)), undefined);
});

test('shrinkBlock reduces a failing block', async () => {
  const { blockCase } = await someBlock();
  const engine = new PortcullisEngine();
  const hasLog = async (candidate: BlockCase): Promise<boolean> => {
    const { receipts, rejected } = await engine.run(candidate);
    return rejected.size === 0 && receipts.some(({ logs }) => logs.length > 0);
  };
  const small = await shrinkBlock(blockCase, hasLog);
  assert.ok(await hasLog(small));
  assert.equal(small.transactions.length, 1);
});
