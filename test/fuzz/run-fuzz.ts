/**
 * `npm run fuzz -- --seconds N --seed S --revision R`: the engine against @ethereumjs/evm on random programs; with `--oracle geth`
 * against geth's `evm t8n` on random blocks (`--cases N` of them).
 */
import { parseArgs } from 'node:util';
import { EVM_SKIP } from '../geth/node/geth-program.ts';
import { runBlockFuzz } from './blocks/run-block-fuzz.ts';
import { parseRunOptions, runFuzz } from './fuzz-run.ts';

const { values, tokens } = parseArgs({
  options: { oracle: { type: 'string', default: 'ethereumjs' }, cases: { type: 'string' } },
  strict: false,
  tokens: true,
});
const own = tokens.filter((token) => token.kind === 'option' && ['oracle', 'cases'].includes(token.name));
const taken = new Set(
  own.flatMap((token) => [
    token.index,
    ...('inlineValue' in token && token.inlineValue ? [] : [token.index + 1]),
  ]),
);
const options = parseRunOptions(process.argv.slice(2).filter((_, index) => !taken.has(index)));

if (values.oracle !== 'geth') {
  if (!(await runFuzz('differential', options))) process.exitCode = 1;
} else if (EVM_SKIP !== false) {
  console.error(`skipped: ${EVM_SKIP}`);
  process.exitCode = process.env['PORTCULLIS_REQUIRE_ALL'] === '1' ? 1 : 0;
} else {
  const { revision = 'amsterdam', seconds, seed, first, programs } = options;
  const blocks = values.cases === undefined ? programs : Number(values.cases);
  const { differences } = await runBlockFuzz({ revision, seconds, blocks, seed, first });
  if (differences.size > 0) process.exitCode = 1;
}
