import { generateEmbeddedModule } from './core/embedded-module.ts';

/** URL of the generated file, from build/scripts, where scripts run. */
export const BLAKE2B_MODULE_FILE: URL = new URL(
  '../../packages/evm/cryptography/blake2b-module.ts',
  import.meta.url,
);

/** Generates the module of BLAKE2b's compression. */
export function generateBlake2bModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('../../packages/evm/cryptography/assembly/blake2b.ts', import.meta.url),
    title: 'assembly/blake2b.ts',
    constant: 'BLAKE2B_MODULE',
    memoryPages: 1,
    command: 'npm run generate -- blake2b',
  });
}
