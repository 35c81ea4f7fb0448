import { readFileSync } from 'node:fs';
import { type CoreModule, compileCore } from '../evm/core-module.ts';
import { Evm } from '../evm/evm.ts';
import type { StateReader } from '../evm/host.ts';
import { createPrecompiles, type Precompiles } from '../evm/precompiles/precompiles.ts';
import { createCryptography } from './cryptography/create-cryptography.ts';

/** Bytes of memory that one execution may have. */
const DEFAULT_MEMORY_LIMIT: number = 256 << 20;

let module: CoreModule | undefined;
let precompiles: Precompiles | undefined;

/** An EVM with a memory of its own over a state. The module is compiled once a thread. */
export function createEvm(state: StateReader, memoryLimit: number = DEFAULT_MEMORY_LIMIT): Evm {
  module ??= compileCore(readFileSync(new URL('../evm/core.wasm', import.meta.url)));
  precompiles ??= createPrecompiles(createCryptography());
  return new Evm(module, state, { memoryLimit, precompiles });
}
