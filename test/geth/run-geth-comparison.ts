/**
 * Compares the service with a real geth: `npm run check -- geth --requests 100000 --seed 1`; `--chain reached`, `unreached` or `amsterdam` selects a
 * chain of hive's shape instead of that of the vectors, `--fork amsterdam` one that crosses that fork. Exits with 1 when a difference exists
 * that no row of `report/differences.ts` explains, and when a row explains nothing in a run of 100,000 requests or more.
 */
import { parseArgs } from 'node:util';
import { makeTemporaryFolder } from '../support/embedded.ts';
import { findVectors, SKIP_REASON } from '../support/vectors.ts';
import { compare, describeFailure, findUnusedRows } from './comparison.ts';
import { buildAmsterdamChain } from './node/amsterdam-chain.ts';
import { EVM_SKIP, GETH_SKIP, GETH_VERSION } from './node/geth-program.ts';
import { buildHiveChain, SHAPES } from './node/hive-chain.ts';
import { readGethFacts } from './read-geth-facts.ts';
import { executionApisChain, openSides } from './sides.ts';

/** Number of requests from which every row must be needed. */
const WHOLE_RUN = 100_000;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    chain: { type: 'string', default: 'vectors' },
    fork: { type: 'string' },
  },
});
const options = { requests: Number(values.requests), seed: Number(values.seed) };
const vectors = findVectors('execution-apis');
const shape = Object.entries(SHAPES).find(([name]) => name === values.chain)?.[1];
const isAmsterdam = values.fork === 'amsterdam';
if (values.fork !== undefined && !isAmsterdam) throw new RangeError(`--fork ${values.fork}: only amsterdam`);
const lack =
  shape === undefined && !isAmsterdam && vectors === undefined
    ? SKIP_REASON
    : GETH_SKIP || (isAmsterdam && EVM_SKIP);

function buildFiles(folder: string): ReturnType<typeof buildAmsterdamChain> {
  if (isAmsterdam) return buildAmsterdamChain(folder);
  return shape === undefined
    ? Promise.resolve(executionApisChain(vectors as string))
    : buildHiveChain(shape, folder);
}

if (lack !== false) {
  console.error(`skipped: ${lack}`);
  process.exitCode = process.env['PORTCULLIS_REQUIRE_ALL'] === '1' ? 1 : 0;
} else {
  const folder = makeTemporaryFolder();
  const files = await buildFiles(folder.path);
  const sides = await openSides(files);
  try {
    const facts = await readGethFacts(sides, files.accounts);
    const begun = performance.now();
    const comparison = await compare(sides, facts, options);
    const seconds = Math.round((performance.now() - begun) / 1000);
    for (const failure of comparison.failures) console.log(describeFailure(failure, options.seed));
    for (const [row, count] of comparison.used) console.log(`meant ${count} times: ${row.reason}`);
    const unused =
      options.requests < WHOLE_RUN || shape !== undefined || isAmsterdam ? [] : findUnusedRows(comparison);
    for (const { reason } of unused) console.log(`NEVER NEEDED: ${reason}`);
    if (sides.closedByGeth > 0)
      console.log(`geth closed ${sides.closedByGeth} connections instead of answering`);
    for (const line of sides.errors) console.log(`LOGGED: ${line}`);
    const unexplained = comparison.failures.reduce((sum, { count }) => sum + count, 0);
    console.log(
      `${comparison.compared} requests of seed ${options.seed}, ${comparison.methods.size} methods, geth ${GETH_VERSION}, ` +
        `${seconds} s: ${unexplained} unexplained differences of ${comparison.failures.length} kinds`,
    );
    const isSound = unexplained === 0 && unused.length === 0 && sides.errors.length === 0;
    process.exitCode = isSound ? 0 : 1;
  } finally {
    await sides.close();
    folder.remove();
  }
}
