/** WebAssembly modules that sources contain in base64, for code that cannot read files. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from '../program-files.ts';
import { compileAssembly } from './compile.ts';

type EmbeddedModule = {
  /** Path of the AssemblyScript source. */
  readonly source: string;
  /** Path of the generated file. */
  readonly file: string;
  /** Name of the generated constant. */
  readonly constant: string;
  /** Initial memory in pages of 64 KiB: tables of the module, and room for what is read or hashed. */
  readonly memoryPages: number;
  /** Imports beside the other files of the source's folder, by the path in the import. */
  readonly imports?: Readonly<Record<string, string>>;
};

const KECCAK = 'packages/evm/interpreter/core/keccak.ts';

export const EMBEDDED_MODULES: readonly EmbeddedModule[] = [
  {
    source: KECCAK,
    file: 'packages/ethereum/primitives/keccak-module.ts',
    constant: 'KECCAK_MODULE',
    memoryPages: 2,
  },
  {
    source: 'packages/ethereum/primitives/assembly/byte-loops.ts',
    file: 'packages/ethereum/primitives/byte-loops-module.ts',
    constant: 'BYTE_LOOPS_MODULE',
    memoryPages: 3,
  },
  {
    source: 'packages/evm/cryptography/assembly/blake2b.ts',
    file: 'packages/evm/cryptography/blake2b-module.ts',
    constant: 'BLAKE2B_MODULE',
    memoryPages: 1,
  },
  {
    source: 'packages/proofs/assembly/read-lists.ts',
    file: 'packages/proofs/list-reader-module.ts',
    constant: 'LIST_READER_MODULE',
    memoryPages: 1,
    imports: { '../../evm/interpreter/core/keccak.ts': KECCAK },
  },
  {
    source: 'src/pool/transport/assembly/scan-json.ts',
    file: 'src/pool/transport/json-scan-module.ts',
    constant: 'JSON_SCAN_MODULE',
    memoryPages: 2,
  },
  {
    source: 'src/chains/upstream/checks/assembly/search-text.ts',
    file: 'src/chains/upstream/checks/text-search-module.ts',
    constant: 'TEXT_SEARCH_MODULE',
    memoryPages: 3,
  },
  {
    source: 'src/methods/plain-calls/assembly/read-calls.ts',
    file: 'src/methods/plain-calls/plain-calls-module.ts',
    constant: 'FAST_PATH_CALLS_MODULE',
    memoryPages: 3,
  },
];

const CHARACTERS_IN_LINE = 110;

/** Compiles a source and returns the TypeScript file with its module. */
export async function generateModule(module: EmbeddedModule): Promise<string> {
  const { source, constant, memoryPages, imports = {} } = module;
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const sources = new Map([['entry.ts', read(source)]]);
  const folder = dirname(source);
  if (basename(folder) === 'assembly')
    for (const name of readdirSync(join(ROOT, folder)))
      if (name.endsWith('.ts')) sources.set(name, read(join(folder, name)));
  for (const [path, target] of Object.entries(imports)) sources.set(path, read(target));
  const options = ['--outFile', 'module.wasm', '--initialMemory', String(memoryPages)];
  const outputs = await compileAssembly(sources, 'entry.ts', options);
  const base64 = Buffer.from(outputs.get('module.wasm') as Uint8Array).toString('base64');
  const lines = base64.match(new RegExp(`.{1,${CHARACTERS_IN_LINE}}`, 'g')) as string[];
  return `/** The WebAssembly module of ${source}, in base64. Written by \`npm run generate -- modules\`; a test compares. */
export const ${constant}: string = \`
${lines.join('\n')}
\`;
`;
}
