/** Chains of the shapes in hive and in geth's own tests: imported with every root checked, and compared with geth. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countRuns } from '../support/count-runs.ts';
import { importEmbeddedChain, makeTemporaryFolder } from '../support/embedded.ts';
import { compare, describeFailure } from './comparison.ts';
import { GETH_SKIP } from './node/geth-program.ts';
import { buildHiveChain, SHAPES } from './node/hive-chain.ts';
import { readGethFacts } from './read-geth-facts.ts';
import { openSides } from './sides.ts';

const REQUESTS: number = countRuns(40);
const SEED = 1;

for (const shape of Object.values(SHAPES)) {
  test(`a chain from geth imports, and requests get the same answers: ${shape.name}`, {
    skip: GETH_SKIP,
  }, async (t) => {
    const folder = makeTemporaryFolder();
    t.after(() => folder.remove());
    const files = await buildHiveChain(shape, folder.path);
    const chain = await importEmbeddedChain(files.genesis, files.blocks);
    assert.equal(chain.summary.imported, shape.transactions.length);
    assert.equal(chain.summary.headHash, files.head);
    await chain.close();
    const sides = await openSides(files);
    t.after(() => sides.close());
    const facts = await readGethFacts(sides, files.accounts);
    const { failures } = await compare(sides, facts, { requests: REQUESTS, seed: SEED });
    assert.equal(failures.map((failure) => describeFailure(failure, SEED)).join('\n'), '');
  });
}
