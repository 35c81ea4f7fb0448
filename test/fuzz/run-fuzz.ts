/**
 * `npm run check -- fuzz --seconds N --seed S --revision R`: the engine against @ethereumjs/evm on random programs. With `--blocks`, and for
 * Amsterdam always, random blocks (`--cases N` of them) against @ethereumjs/vm, or with `--oracle geth` against geth's `evm t8n`.
 */
import { parseArgs } from 'node:util';
import { EVM_SKIP } from '../geth/node/geth-program.ts';
import { EthereumjsOracle } from './blocks/ethereumjs-oracle.ts';
import { GETH } from './blocks/geth-oracle.ts';
import { runBlockFuzz } from './blocks/run-block-fuzz.ts';
import { parseRunOptions, runFuzz } from './fuzz-run.ts';

const BLOCK_ORACLES = [GETH, new EthereumjsOracle()];

const { values } = parseArgs({
  options: { oracle: { type: 'string' }, cases: { type: 'string' }, blocks: { type: 'boolean' } },
  strict: false,
});
const { oracle, cases, blocks } = values as { oracle?: string; cases?: string; blocks?: boolean };
const options = parseRunOptions(process.argv.slice(2));
const hasBlocks = blocks === true || oracle === GETH.name || options.revision === 'amsterdam';
const name = oracle ?? (hasBlocks ? GETH.name : 'ethereumjs');
const blockOracle = BLOCK_ORACLES.find((other) => other.name === name);

if (blockOracle === undefined) {
  throw new RangeError(`--oracle ${name}: ${BLOCK_ORACLES.map((other) => other.name).join(' or ')}`);
}
if (!hasBlocks) {
  if (!(await runFuzz('differential', options))) process.exitCode = 1;
} else if (blockOracle === GETH && EVM_SKIP !== false) {
  console.error(`skipped: ${EVM_SKIP}`);
  process.exitCode = process.env['PORTCULLIS_REQUIRE_ALL'] === '1' ? 1 : 0;
} else {
  const { revision = 'amsterdam', seconds, seed, first, programs } = options;
  const count = cases === undefined ? programs : Number(cases);
  const { differences } = await runBlockFuzz(blockOracle, { revision, seconds, blocks: count, seed, first });
  if (differences.size > 0) process.exitCode = 1;
}
