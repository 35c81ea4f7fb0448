import { generateEmbeddedModule } from './core/embedded-module.ts';

/** Scripts run from build/scripts. */
export const BYTE_LOOPS_MODULE_FILE: URL = new URL(
  '../../src/primitives/byte-loops-module.ts',
  import.meta.url,
);

/** The loops over bytes as a module. */
export function generateByteLoopsModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('../../src/primitives/assembly/byte-loops.ts', import.meta.url),
    title: 'assembly/byte-loops.ts',
    constant: 'BYTE_LOOPS_MODULE',
    // `byte-loops.ts` divides these 192 KiB up.
    memoryPages: 3,
    command: 'npm run byte-loops',
  });
}
