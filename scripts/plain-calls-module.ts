import { generateEmbeddedModule } from './core/embedded-module.ts';

/** URL of the generated file, from build/scripts, where scripts run. */
export const PLAIN_CALLS_MODULE_FILE: URL = new URL(
  '../../src/methods/plain-calls/plain-calls-module.ts',
  import.meta.url,
);

/** Generates the module of the parser of fast-path calls. */
export function generatePlainCallsModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('../../src/methods/plain-calls/assembly/read-calls.ts', import.meta.url),
    title: 'assembly/read-calls.ts',
    constant: 'FAST_PATH_CALLS_MODULE',
    // `read-plain-calls.ts` partitions these 192 KiB.
    memoryPages: 3,
    command: 'npm run generate -- plain-calls',
  });
}
