/** The parser of the HTTP client: llhttp, compiled to WebAssembly. */
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { WEB_ASSEMBLY, type WebAssemblyModule } from '../../../packages/ethereum/primitives/webassembly.ts';

/** V8 flags that are off while the parser is compiled: all of its functions are compiled at once, by the baseline compiler, and never again. */
const FLAGS = ['wasm-lazy-compilation', 'wasm-dynamic-tiering', 'wasm-tier-up'] as const;

/** Keeps the module in memory: V8 shares compiled code among all modules with the same bytes as long as one of them exists. */
let parser: WebAssemblyModule | undefined;

/**
 * Compiles the parser before the client does. V8's optimizing compiler is not used: for one function of 34 kB it takes 29 MB at once, of which the
 * allocator retains half, and it does not make the parsing of heads faster. Must be called before the first connection.
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
