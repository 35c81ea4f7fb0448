/** Builds the core's WebAssembly module when its sources are newer than it. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { compileAssembly } from './compile.ts';
import { generateDispatch } from './dispatch.ts';
import { generateOperations } from './operations.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const SOURCES = join(ROOT, 'src/evm/core');
const TARGET = join(ROOT, 'build/src/evm/core.wasm');

const GENERATED: Readonly<Record<string, () => string>> = {
  'generated/operations.ts': generateOperations,
  'generated/dispatch.ts': generateDispatch,
};

/** All source texts by their path within the core. */
function collectSources(): Map<string, string> {
  const sources = new Map<string, string>();
  for (const entry of readdirSync(SOURCES, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    sources.set(relative(SOURCES, path), readFileSync(path, 'utf8'));
  }
  for (const [path, generate] of Object.entries(GENERATED)) sources.set(path, generate());
  return sources;
}

function digestOf(sources: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const path of [...sources.keys()].sort())
    hash
      .update(path)
      .update('\0')
      .update(sources.get(path) ?? '');
  return hash.digest('hex');
}

const sources = collectSources();
const stamp = `${TARGET}.sources`;
const digest = digestOf(sources);
if (!existsSync(TARGET) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  const written = await compileAssembly(sources, 'index.ts', [
    ...['--outFile', 'core.wasm', '--initialMemory', '4096'],
    ...(process.argv.includes('--text') ? ['--textFile', 'core.wat'] : []),
  ]);
  mkdirSync(dirname(TARGET), { recursive: true });
  for (const [name, contents] of written) writeFileSync(join(dirname(TARGET), name), contents);
  writeFileSync(stamp, digest);
}
