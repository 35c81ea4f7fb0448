import { readFileSync } from 'node:fs';
import { compileAssembly } from './core/compile.ts';

/** Scripts run from build/scripts. */
const SOURCE = new URL('../../src/primitives/assembly/byte-loops.ts', import.meta.url);
export const BYTE_LOOPS_MODULE_FILE: URL = new URL(
  '../../src/primitives/byte-loops-module.ts',
  import.meta.url,
);

const ENTRY = 'byte-loops.ts';
const MODULE = 'byte-loops.wasm';
/** 192 KiB; `byte-loops.ts` divides them up. */
const MEMORY_PAGES = '3';
const CHARACTERS_IN_LINE = 110;

/** The loops as a module, in a TypeScript file for what has no files to read. */
export async function generateByteLoopsModule(): Promise<string> {
  const sources = new Map([[ENTRY, readFileSync(SOURCE, 'utf8')]]);
  const options = ['--outFile', MODULE, '--initialMemory', MEMORY_PAGES];
  const module = (await compileAssembly(sources, ENTRY, options)).get(MODULE) as Uint8Array;
  const base64 = Buffer.from(module).toString('base64');
  const lines = base64.match(new RegExp(`.{1,${CHARACTERS_IN_LINE}}`, 'g')) as string[];
  return `/** The WebAssembly module of assembly/byte-loops.ts, in base64. Written by \`npm run byte-loops\`; a test compares. */
export const BYTE_LOOPS_MODULE: string = \`
${lines.join('\n')}
\`;
`;
}
