/** The parser of the HTTP client, llhttp as WebAssembly. */
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { WEB_ASSEMBLY, type WebAssemblyModule } from '../../../packages/ethereum/primitives/webassembly.ts';

/** V8 flags that are off while it is compiled: all of its functions are compiled at once, by the baseline compiler, and never again. */
const FLAGS = ['wasm-lazy-compilation', 'wasm-dynamic-tiering', 'wasm-tier-up'] as const;

/** Keeps the module alive: V8 shares compiled code among all modules of the same bytes as long as one of them lives. */
let parser: WebAssemblyModule | undefined;

/**
 * Compiles the parser before the client does, without V8's optimizing compiler, which takes 29 MB at once for one function of 34 kB, of which the
 * allocator keeps half, and makes parsing of heads no faster. It must be called before the first connection.
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
