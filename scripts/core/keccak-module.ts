import { generateEmbeddedModule } from './embedded-module.ts';

/** URL of the generated file, from build/scripts/core, where scripts run. */
export const KECCAK_MODULE_FILE: URL = new URL(
  '../../../packages/ethereum/primitives/keccak-module.ts',
  import.meta.url,
);

/** Generates a separate module of the core's Keccak-256. */
export function generateKeccakModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('../../../packages/evm/interpreter/core/keccak.ts', import.meta.url),
    title: 'evm/interpreter/core/keccak.ts',
    constant: 'KECCAK_MODULE',
    // One page for the module's own tables, one for the hashed data.
    memoryPages: 2,
    command: 'npm run generate -- keccak',
  });
}
