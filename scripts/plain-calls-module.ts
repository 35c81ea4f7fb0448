import { generateEmbeddedModule } from './core/embedded-module.ts';

/** Scripts run from build/scripts. */
export const PLAIN_CALLS_MODULE_FILE: URL = new URL(
  '../../src/methods/plain-calls/plain-calls-module.ts',
  import.meta.url,
);

/** The reader of plain calls as a module. */
export function generatePlainCallsModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('../../src/methods/plain-calls/assembly/read-calls.ts', import.meta.url),
    title: 'assembly/read-calls.ts',
    constant: 'PLAIN_CALLS_MODULE',
    // `read-plain-calls.ts` divides these 192 KiB up.
    memoryPages: 3,
    command: 'npm run plain-calls',
  });
}
