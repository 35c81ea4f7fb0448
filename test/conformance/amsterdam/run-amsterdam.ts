/**
 * `npm run check -- amsterdam`: imports blocks that geth made across the transition to Amsterdam and compares everything; copies with one
 * alteration each must be refused. Uses the committed chain and, where geth's `evm` is installed, a new chain (`--seed S --blocks N`), which
 * geth itself imports too where it is installed. `--write` makes the committed chain anew. Ends with a line of figures; exits with 1 where
 * something is missing and PORTCULLIS_REQUIRE_ALL is 1, or an altered block was treated wrongly.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runGeth } from '../../geth/node/geth-node.ts';
import { EVM_SKIP, GETH_SKIP, installGeth } from '../../geth/node/geth-program.ts';
import { makeTemporaryFolder } from '../../support/embedded.ts';
import { type ChainSet, COMMITTED_SET, readChainSet, writeChainSet } from './chain-set.ts';
import { importSet, type SetFigures } from './import-set.ts';
import { makeChain } from './make-chain.ts';
import { refuseAltered } from './refuse-altered.ts';

const COMMITTED = { seed: 1, blocks: 300, firstAmsterdam: 21 };

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '2' },
    blocks: { type: 'string', default: '300' },
    every: { type: 'string', default: '10' },
    lists: { type: 'string', default: '400' },
    write: { type: 'boolean', default: false },
  },
});
const thoroughness = { every: Number(values.every), lists: Number(values.lists) };
const missing: string[] = [];
const faults: string[] = [];
const totals = { chains: 0, blocks: 0, transactions: 0, headers: 0, lists: 0 };

function describe({ blocks, amsterdamBlocks, types, ...rest }: SetFigures): string {
  const counts = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return `${blocks} blocks, ${amsterdamBlocks} of Amsterdam; transactions by type ${types.join('/')}; ${counts.join(', ')}`;
}

async function check(name: string, set: ChainSet): Promise<string> {
  const { figures, accessLists } = await importSet(set);
  console.log(`${name}: imported ${describe(figures)}`);
  const altered = await refuseAltered(set, accessLists, thoroughness);
  console.log(`${name}: refused ${altered.headers} altered headers, ${altered.lists} altered lists`);
  faults.push(...altered.faults);
  totals.chains++;
  totals.blocks += figures.blocks;
  totals.transactions += figures.types.reduce((sum, count) => sum + count, 0);
  totals.headers += altered.headers;
  totals.lists += altered.lists;
  return figures.headHash;
}

/** Imports the chain with geth itself, which validates the blocks of its state transition tool like a node. */
function importWithGeth({ genesis, blocks }: ChainSet, head: string): void {
  const folder = makeTemporaryFolder();
  try {
    const [genesisFile, blocksFile] = [join(folder.path, 'genesis.json'), join(folder.path, 'chain.rlp')];
    writeFileSync(genesisFile, JSON.stringify(genesis));
    writeFileSync(blocksFile, Buffer.concat(blocks));
    const data = ['--datadir', join(folder.path, 'geth'), '--state.scheme', 'hash'];
    runGeth(installGeth(), [...data, 'init', genesisFile]);
    runGeth(installGeth(), [...data, '--gcmode', 'archive', 'import', blocksFile]);
    // `import` reports a refused block in its log only; `export` fails where the head is below the last block.
    const [last, exported] = [String(blocks.length), join(folder.path, 'last.rlp')];
    runGeth(installGeth(), [...data, 'export', exported, last, last]);
    console.log(`geth imported the chain too; its head is ${head}`);
  } finally {
    folder.remove();
  }
}

if (values.write) {
  writeChainSet(COMMITTED_SET, await makeChain(COMMITTED));
  console.log(`written: ${COMMITTED_SET}`);
}
await check('committed chain', readChainSet(COMMITTED_SET));
if (EVM_SKIP !== false) missing.push(EVM_SKIP);
else {
  const [seed, blocks] = [Number(values.seed), Number(values.blocks)];
  const set = await makeChain({ seed, blocks, firstAmsterdam: COMMITTED.firstAmsterdam });
  const head = await check(`chain of seed ${seed}`, set);
  if (GETH_SKIP !== false) missing.push(GETH_SKIP);
  else importWithGeth(set, head);
}
for (const fault of faults) console.log(`WRONG: ${fault}`);
for (const what of missing) console.log(`absent: ${what}`);
const isIncomplete = missing.length > 0 && process.env['PORTCULLIS_REQUIRE_ALL'] === '1';
if (faults.length > 0 || isIncomplete) process.exitCode = 1;
console.log(
  `${totals.chains} chains of ${totals.blocks} blocks and ${totals.transactions} transactions imported; of altered blocks ` +
    `${totals.headers} headers and ${totals.lists} lists refused; ${faults.length} faults, ${missing.length} parts absent`,
);
