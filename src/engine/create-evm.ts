import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CoreModule, compileCore } from '../../packages/evm/interpreter/core-module.ts';
import { Evm, HASH_SEED_BYTES } from '../../packages/evm/interpreter/evm.ts';
import type { StateReader } from '../../packages/evm/interpreter/host.ts';
import {
  createPrecompiles,
  type Precompiles,
} from '../../packages/evm/interpreter/precompiles/precompiles.ts';
import { getCryptography } from './node-cryptography.ts';

/** Default memory limit of one execution, bytes. */
export const DEFAULT_MEMORY_LIMIT: number = 256 << 20;

let core: CoreModule | undefined;
let precompiles: Precompiles | undefined;
const hashSeed: Uint8Array = randomBytes(HASH_SEED_BYTES);

/** Returns the compiled WebAssembly module of the EVM core. Another thread that receives the module need not compile it. */
export function getCore(): CoreModule {
  core ??= compileCore(readFileSync(new URL('core.wasm', import.meta.url)));
  return core;
}

/** Installs a core module that another thread compiled. */
export function adoptCore(compiled: CoreModule): void {
  core = compiled;
}

/**
 * Creates an EVM with its own memory on top of a state.
 * @param memoryLimit bytes of memory that one execution may use
 * @param seed seed of the hash function for the core's tables; by default random per thread
 */
export function createEvm(
  state: StateReader,
  memoryLimit: number = DEFAULT_MEMORY_LIMIT,
  seed: Uint8Array = hashSeed,
): Evm {
  precompiles ??= createPrecompiles(getCryptography());
  return new Evm(getCore(), state, { memoryLimit, precompiles, hashSeed: seed });
}
