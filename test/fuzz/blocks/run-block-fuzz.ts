/** Executes generated blocks with an oracle and with the engine. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { disassemble } from '../code-edits.ts';
import type { BlockCase } from './block-case.ts';
import { encodeBlockCase } from './block-json.ts';
import { type BlockOracle, explainDifference } from './block-oracle.ts';
import { type BlockOutcome, compareBlockOutcomes } from './block-outcome.ts';
import { BLOCK_GENERATOR_VERSION, generateBlock } from './generate-block.ts';
import { PortcullisEngine } from './portcullis-engine.ts';
import { shrinkBlock } from './shrink-block.ts';

/** Folder for failing blocks: among the sources, to be committed once they are understood. */
const CORPUS: string = resolve(import.meta.dirname, '../../../../test/fuzz/blocks/corpus');
const PROGRESS_SECONDS = 10;
/** Number of kinds of differences after which a run stops. */
const MAX_KINDS = 8;
/** Number of differences of a described kind after which further ones are only counted. */
const MAX_SAME = 200;

export type BlockFuzzOptions = {
  readonly revision: Revision;
  readonly seconds: number;
  readonly blocks: number;
  readonly seed: number;
  readonly first: number;
};

export type BlockFuzzTotals = {
  blocks: number;
  transactions: number;
  rejected: number;
  failed: number;
  gas: bigint;
  /** Accepted differences: counts by reason. */
  readonly known: Map<string, number>;
  /** Counts of differences by kind. */
  readonly differences: Map<string, number>;
};

/** Replaces numbers: `gas used: expected 1, got 2` is the same kind as `gas used: expected 3, got 5`. */
function kindOf(difference: string): string {
  return difference.slice(0, difference.indexOf(':')).replaceAll(/0x[0-9a-f]+|\d+/g, '#');
}

type Comparison = {
  readonly expected: BlockOutcome;
  /** Description of the first difference, unless it is accepted. */
  readonly difference?: string;
  /** Reason why the first difference is accepted. */
  readonly known?: string;
};

async function compareBlock(
  generated: BlockCase,
  engine: PortcullisEngine,
  oracle: BlockOracle,
): Promise<Comparison> {
  const blockCase = oracle.adapt(generated);
  const expected = await oracle.run(blockCase);
  let actual: BlockOutcome;
  try {
    actual = await engine.run(blockCase);
  } catch (error) {
    return { expected, difference: `the engine threw: ${error instanceof Error ? error.stack : error}` };
  }
  const difference = compareBlockOutcomes(expected, actual);
  if (difference === undefined) return { expected };
  const known = explainDifference(difference, blockCase, oracle.known);
  return known === undefined ? { expected, difference } : { expected, known };
}

/** Describes the first difference between an oracle and the engine in a block. */
export async function findBlockDifference(
  blockCase: BlockCase,
  engine: PortcullisEngine,
  oracle: BlockOracle,
): Promise<string | undefined> {
  return (await compareBlock(blockCase, engine, oracle)).difference;
}

async function describe(
  blockCase: BlockCase,
  difference: string,
  engine: PortcullisEngine,
  oracle: BlockOracle,
  name: string,
): Promise<void> {
  const kind = kindOf(difference);
  const minimal = await shrinkBlock(blockCase, async (candidate) => {
    const found = await findBlockDifference(candidate, engine, oracle);
    return found !== undefined && kindOf(found) === kind;
  });
  const note = (await findBlockDifference(minimal, engine, oracle)) ?? difference;
  mkdirSync(CORPUS, { recursive: true });
  const path = join(CORPUS, `${name}.json`);
  writeFileSync(path, encodeBlockCase({ note, blockCase: minimal }));
  const listing = [...minimal.accounts]
    .filter(([address, { code }]) => code.length > 0 && !address.startsWith('0x0000'))
    .map(([address, { code }]) => `${address}\n${disassemble(code)}`)
    .join('\n');
  console.log(`${name}: ${note}\n${listing}\n-> ${path}`);
}

/** Runs the fuzzer with these options and prints the results. */
export async function runBlockFuzz(oracle: BlockOracle, options: BlockFuzzOptions): Promise<BlockFuzzTotals> {
  const { revision, seconds, blocks, seed, first } = options;
  const totals: BlockFuzzTotals = {
    blocks: 0,
    transactions: 0,
    rejected: 0,
    failed: 0,
    gas: 0n,
    known: new Map(),
    differences: new Map(),
  };
  const deadline = performance.now() + seconds * 1000;
  const engine = new PortcullisEngine();
  let next = first;
  const isOver = (): boolean =>
    next >= first + blocks || performance.now() >= deadline || totals.differences.size >= MAX_KINDS;
  const work = async (): Promise<void> => {
    while (!isOver()) {
      // An oracle in this process returns no control to the event loop, so timers would not fire.
      await setImmediate();
      const index = next++;
      const blockCase = generateBlock(seed, index, revision);
      const { expected, difference, known } = await compareBlock(blockCase, engine, oracle);
      totals.blocks++;
      totals.transactions += expected.receipts.length;
      totals.rejected += expected.rejected.size;
      totals.failed += expected.receipts.filter(({ status }) => status === 0n).length;
      totals.gas += expected.gasUsed;
      if (known !== undefined) totals.known.set(known, 1 + (totals.known.get(known) ?? 0));
      if (difference === undefined) continue;
      const kind = kindOf(difference);
      const seen = totals.differences.get(kind) ?? 0;
      totals.differences.set(kind, seen + 1);
      if (seen + 1 >= MAX_SAME) next = first + blocks;
      if (seen === 0)
        await describe(blockCase, difference, engine, oracle, `b${BLOCK_GENERATOR_VERSION}-${seed}-${index}`);
    }
  };
  const timer = setInterval(() => console.log(line(totals, oracle, options)), PROGRESS_SECONDS * 1000);
  try {
    await Promise.all(Array.from({ length: oracle.concurrency }, work));
  } finally {
    clearInterval(timer);
  }
  for (const [reason, count] of totals.known) console.log(`known, ${count} times: ${reason}`);
  for (const [kind, count] of totals.differences) console.log(`${count} times: ${kind}`);
  console.log(line(totals, oracle, options));
  return totals;
}

function line(totals: BlockFuzzTotals, { name }: BlockOracle, { seed, revision }: BlockFuzzOptions): string {
  const { blocks, transactions, failed, rejected, gas } = totals;
  const differences = [...totals.differences.values()].reduce((sum, count) => sum + count, 0);
  return (
    `${revision} and ${name}: ${blocks} blocks, ${transactions} transactions (${failed} failed), ${rejected} refused, ` +
    `${gas} gas, ${differences} differences (seed ${seed}, generator ${BLOCK_GENERATOR_VERSION})`
  );
}
