/** Path of mcl's WebAssembly module, beside the module that instantiates it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { WEB_ASSEMBLY } from '../../packages/ethereum/primitives/webassembly.ts';

const TARGET = join(resolve(import.meta.dirname, '../../..'), 'build/src/engine/mcl.wasm');

/** Captures the bytes that the package's loader passes to `WebAssembly.instantiate`, because it exports the module in no other way. */
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

/** Writes the module if the existing one differs. */
export function writeMclModule(): void {
  const script = readFileSync(fileURLToPath(import.meta.resolve('mcl-wasm/dist/mcl_c.js')), 'utf8');
  const module = takeModule(script);
  if (existsSync(TARGET) && readFileSync(TARGET).equals(module)) return;
  mkdirSync(dirname(TARGET), { recursive: true });
  writeFileSync(TARGET, module);
}
