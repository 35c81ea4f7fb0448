/** Compilation of undici's HTTP parser: llhttp in WebAssembly. */
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { WEB_ASSEMBLY, type WebAssemblyModule } from '../../../packages/ethereum/primitives/webassembly.ts';

/**
 * V8 flags that are off while the parser is compiled. With these flags off, the baseline compiler compiles all functions of the parser immediately,
 * and no function is optimized.
 */
const FLAGS = ['wasm-lazy-compilation', 'wasm-dynamic-tiering', 'wasm-tier-up'] as const;

/** Keeps the compiled module in memory: V8 reuses compiled code for a module with the same bytes while such a module exists. */
let parser: WebAssemblyModule | undefined;

/**
 * Compiles the parser before undici does, without V8's optimizing compiler. The optimizing compiler would allocate 29 MB for one function of 34 kB,
 * and the allocator retains half of it. The optimized parser would not parse heads faster. Must be called before undici opens its first connection.
 */
export function compileHttpParser(): void {
  if (parser !== undefined) return;
  const bytes = createRequire(import.meta.url)('undici/lib/llhttp/llhttp_simd-wasm.js') as Uint8Array;
  try {
    for (const flag of FLAGS) setFlagsFromString(`--no-${flag}`);
    parser = new WEB_ASSEMBLY.Module(bytes);
  } finally {
    for (const flag of FLAGS) setFlagsFromString(`--${flag}`);
  }
}
