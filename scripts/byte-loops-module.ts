import { generateEmbeddedModule } from './core/embedded-module.ts';

/** URL of the generated file, from build/scripts, where scripts run. */
export const BYTE_LOOPS_MODULE_FILE: URL = new URL(
  '../../packages/ethereum/primitives/byte-loops-module.ts',
  import.meta.url,
);

/** Generates the module of the loops over bytes. */
export function generateByteLoopsModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('../../packages/ethereum/primitives/assembly/byte-loops.ts', import.meta.url),
    title: 'assembly/byte-loops.ts',
    constant: 'BYTE_LOOPS_MODULE',
    // `byte-loops.ts` partitions these 192 KiB.
    memoryPages: 3,
    command: 'npm run generate -- byte-loops',
  });
}
