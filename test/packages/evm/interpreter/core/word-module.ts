import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { main } from 'assemblyscript/asc';

/** A separate module around the instruction bodies, for tests and benches. */
export type WordModule = {
  readonly call: (name: string, ...operands: (number | bigint)[]) => number;
  readonly memory: DataView;
  /** Address of 64 KiB for operands that nothing else uses. */
  readonly scratch: number;
};

const ROOT = fileURLToPath(new URL('../../../../../../', import.meta.url));
/** Instruction bodies and helpers, each as an export. */
export const WORD_BODIES = 'test/packages/evm/interpreter/core/assembly/words.ts';
const OUTPUT = 'words.wasm';

/** WebAssembly as used here: neither TypeScript's library nor node's types declare it. */
type WebAssemblyApi = {
  readonly Module: new (binary: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Readonly<Record<string, unknown>> };
};

/** Compiler options of the product's module. */
const OPTIONS = ['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--enable', 'simd'];

/** Compiles the AssemblyScript file `entry`, a path from the repository's root, without writing files. */
export async function createWordModule(entry: string): Promise<WordModule> {
  const outputs = new Map<string, Uint8Array>();
  const { error, stderr } = await main([entry, '--outFile', OUTPUT, ...OPTIONS], {
    readFile: async (name, folder) => {
      try {
        return await readFile(new URL(name, `file://${folder === '.' ? ROOT : folder}/`), 'utf8');
      } catch {
        return null;
      }
    },
    writeFile: (name, contents) => {
      outputs.set(name, typeof contents === 'string' ? new TextEncoder().encode(contents) : contents);
    },
    listFiles: () => [],
  });
  const binary = outputs.get(OUTPUT);
  if (error !== null || binary === undefined) throw new Error(`does not compile: ${String(stderr)}`);
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyApi };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary));
  const call = (name: string, ...operands: (number | bigint)[]): number => {
    const body = exports[name];
    if (typeof body !== 'function') throw new Error(`no export ${name}`);
    return body(...operands) as number;
  };
  const { buffer } = exports['memory'] as { readonly buffer: ArrayBuffer };
  return { call, memory: new DataView(buffer), scratch: call('scratch') };
}
