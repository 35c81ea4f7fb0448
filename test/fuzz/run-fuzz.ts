/**
 * `npm run fuzz -- --seconds N --seed S --revision R`: the engine against @ethereumjs/evm on random programs; with `--oracle geth`
 * against geth's `evm t8n` on random blocks (`--cases N` of them), which of Amsterdam is the only one.
 */
import { parseArgs } from 'node:util';
import { EVM_SKIP } from '../geth/node/geth-program.ts';
import { runBlockFuzz } from './blocks/run-block-fuzz.ts';
import { parseRunOptions, runFuzz } from './fuzz-run.ts';

const { values } = parseArgs({
  options: { oracle: { type: 'string' }, cases: { type: 'string' } },
  strict: false,
});
const { oracle, cases } = values as { oracle?: string; cases?: string };
const options = parseRunOptions(process.argv.slice(2));
const chosen = oracle ?? (options.revision === 'amsterdam' ? 'geth' : 'ethereumjs');

if (chosen === 'ethereumjs') {
  if (options.revision === 'amsterdam') throw new RangeError('--oracle: of amsterdam it is geth');
  if (!(await runFuzz('differential', options))) process.exitCode = 1;
} else if (chosen !== 'geth') throw new RangeError(`--oracle ${chosen}: ethereumjs or geth`);
else if (EVM_SKIP !== false) {
  console.error(`skipped: ${EVM_SKIP}`);
  process.exitCode = process.env['PORTCULLIS_REQUIRE_ALL'] === '1' ? 1 : 0;
} else {
  const { revision = 'amsterdam', seconds, seed, first, programs } = options;
  const blocks = cases === undefined ? programs : Number(cases);
  const { differences } = await runBlockFuzz({ revision, seconds, blocks, seed, first });
  if (differences.size > 0) process.exitCode = 1;
}
