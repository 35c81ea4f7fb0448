import { readFileSync } from 'node:fs';
import { compileAssembly } from './compile.ts';

/** Scripts run from build/scripts/core. */
const SOURCE = new URL('../../../src/evm/core/keccak.ts', import.meta.url);
export const KECCAK_MODULE_FILE: URL = new URL('../../../src/primitives/keccak-module.ts', import.meta.url);

const ENTRY = 'keccak.ts';
const MODULE = 'keccak.wasm';
/** One for the module's own tables, one for what it hashes. */
const MEMORY_PAGES = '2';
const CHARACTERS_IN_LINE = 110;

/** The core's Keccak-256 as a module of its own, in a TypeScript file for what has no files to read. */
export async function generateKeccakModule(): Promise<string> {
  const sources = new Map([[ENTRY, readFileSync(SOURCE, 'utf8')]]);
  const options = ['--outFile', MODULE, '--initialMemory', MEMORY_PAGES];
  const module = (await compileAssembly(sources, ENTRY, options)).get(MODULE) as Uint8Array;
  const base64 = Buffer.from(module).toString('base64');
  const lines = base64.match(new RegExp(`.{1,${CHARACTERS_IN_LINE}}`, 'g')) as string[];
  return `/** The WebAssembly module of evm/core/keccak.ts, in base64. Written by \`npm run keccak\`; a test compares. */
export const KECCAK_MODULE: string = \`
${lines.join('\n')}
\`;
`;
}
