/** Builds the core's WebAssembly module when its sources have changed, and writes mcl's to the path that it is read from. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { compileAssembly } from './compile.ts';
import { CORE_OPTIONS, collectCoreSources } from './core-sources.ts';
import { writeMclModule } from './mcl-module.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const SOURCES = join(ROOT, 'packages/evm/interpreter/core');
const TARGET = join(ROOT, 'build/src/engine/core.wasm');

function digestOf(sources: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const path of [...sources.keys()].sort())
    hash
      .update(path)
      .update('\0')
      .update(sources.get(path) ?? '');
  return hash.digest('hex');
}

writeMclModule();
const sources = collectCoreSources(SOURCES);
const stamp = `${TARGET}.sources`;
const digest = digestOf(sources);
if (!existsSync(TARGET) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  const written = await compileAssembly(sources, 'index.ts', [
    ...CORE_OPTIONS,
    ...(process.argv.includes('--text') ? ['--textFile', 'core.wat'] : []),
  ]);
  mkdirSync(dirname(TARGET), { recursive: true });
  for (const [name, contents] of written) writeFileSync(join(dirname(TARGET), name), contents);
  writeFileSync(stamp, digest);
}
