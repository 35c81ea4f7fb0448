/** Compilation of undici's HTTP parser: llhttp in WebAssembly. */
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { WEB_ASSEMBLY, type WebAssemblyModule } from '../../../packages/ethereum/primitives/webassembly.ts';

/**
 * V8 flags that are off while the parser is compiled. All its functions are then compiled immediately by the baseline compiler, and never optimized.
 */
const FLAGS = ['wasm-lazy-compilation', 'wasm-dynamic-tiering', 'wasm-tier-up'] as const;

/** Reference that keeps the module in memory: V8 reuses compiled code for modules with the same bytes while one of them exists. */
let parser: WebAssemblyModule | undefined;

/**
 * Compiles the parser before undici does, without V8's optimizing compiler. For one function of 34 kB, that compiler allocates 29 MB, of which the
 * allocator retains half, and the parsing of heads does not become faster. Must be called before the first connection.
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
