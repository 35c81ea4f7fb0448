import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CoreModule, compileCore } from '../evm/core-module.ts';
import { Evm, HASH_SEED_BYTES } from '../evm/evm.ts';
import type { StateReader } from '../evm/host.ts';
import { createPrecompiles, type Precompiles } from '../evm/precompiles/precompiles.ts';
import { getCryptography } from './cryptography/create-cryptography.ts';

/** Bytes of memory that one execution may have. */
export const DEFAULT_MEMORY_LIMIT: number = 256 << 20;

let core: CoreModule | undefined;
let precompiles: Precompiles | undefined;
const hashSeed: Uint8Array = randomBytes(HASH_SEED_BYTES);

/** The compiled core: for another thread too, which then need not compile it. */
export function getCore(): CoreModule {
  core ??= compileCore(readFileSync(new URL('../evm/core.wasm', import.meta.url)));
  return core;
}

/** Takes over what another thread compiled. */
export function adoptCore(compiled: CoreModule): void {
  core = compiled;
}

/** An EVM with a memory of its own over a state. @param seed of the tables' hash, by default one that was drawn for this thread */
export function createEvm(
  state: StateReader,
  memoryLimit: number = DEFAULT_MEMORY_LIMIT,
  seed: Uint8Array = hashSeed,
): Evm {
  precompiles ??= createPrecompiles(getCryptography());
  return new Evm(getCore(), state, { memoryLimit, precompiles, hashSeed: seed });
}
