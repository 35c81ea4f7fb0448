import { generateEmbeddedModule } from './core/embedded-module.ts';

/** URL of the generated file, from build/scripts, where scripts run. */
export const JSON_SCAN_MODULE_FILE: URL = new URL(
  '../../src/pool/transport/json-scan-module.ts',
  import.meta.url,
);

/** Generates the module of the JSON scan. */
export function generateJsonScanModule(): Promise<string> {
  return generateEmbeddedModule({
    source: new URL('../../src/pool/transport/assembly/scan-json.ts', import.meta.url),
    title: 'assembly/scan-json.ts',
    constant: 'JSON_SCAN_MODULE',
    // One page for its table, one for the scanned text.
    memoryPages: 2,
    command: 'npm run generate -- json-scan',
  });
}
