/** Writes mcl's WebAssembly module beside what instantiates it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { WEB_ASSEMBLY } from '../../src/primitives/webassembly.ts';

const TARGET = join(resolve(import.meta.dirname, '../../..'), 'build/src/engine/cryptography/mcl.wasm');

/** What the package's loader hands to `WebAssembly.instantiate`: it has no other way to the module. */
function takeModule(script: string): Uint8Array {
  let taken: Uint8Array | undefined;
  const module: { exports: (options: object) => void } = { exports: () => {} };
  const loading = {
    Memory: WEB_ASSEMBLY.Memory,
    instantiate: (bytes: Uint8Array) => {
      taken = bytes;
      return new Promise(() => {});
    },
  };
  runInNewContext(script, { module, atob, Uint8Array, WebAssembly: loading });
  module.exports({});
  if (taken === undefined) throw new Error('mcl-wasm loads no module');
  return taken;
}

/** Writes the module if the one that is there is another. */
export function writeMclModule(): void {
  const script = readFileSync(fileURLToPath(import.meta.resolve('mcl-wasm/dist/mcl_c.js')), 'utf8');
  const module = takeModule(script);
  if (existsSync(TARGET) && readFileSync(TARGET).equals(module)) return;
  mkdirSync(dirname(TARGET), { recursive: true });
  writeFileSync(TARGET, module);
}
