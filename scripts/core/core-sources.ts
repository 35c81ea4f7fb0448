import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { generateDispatch } from '../../packages/evm/interpreter/core-generator/dispatch.ts';
import {
  generateExchange,
  generateLayout,
  generateRules,
  generateStatus,
} from '../../packages/evm/interpreter/core-generator/interface.ts';
import { generateOperations } from '../../packages/evm/interpreter/core-generator/operations.ts';

const GENERATED: Readonly<Record<string, () => string>> = {
  'generated/dispatch.ts': generateDispatch,
  'generated/exchange.ts': generateExchange,
  'generated/layout.ts': generateLayout,
  'generated/operations.ts': generateOperations,
  'generated/rules.ts': generateRules,
  'generated/status.ts': generateStatus,
};

/** Collects all source texts of the core, generated ones included, by their path within `folder`. */
export function collectCoreSources(folder: string): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    sources.set(relative(folder, path), readFileSync(path, 'utf8'));
  }
  for (const [path, generate] of Object.entries(GENERATED)) sources.set(path, generate());
  return sources;
}

/** Compiler options of the core beside those of all modules. */
export const CORE_OPTIONS: readonly string[] = ['--outFile', 'core.wasm', '--initialMemory', '4096'];
