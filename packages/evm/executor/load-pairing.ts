import { decodeBase64 } from '../../ethereum/primitives/base64.ts';

/** Matches the WebAssembly module in mcl-wasm's loader. The loader contains the module as a base64 literal and does not export it. */
const MODULE = /["'`](AGFzbQ[A-Za-z0-9+/]+=*)["'`]/;

/**
 * Returns the bytes of mcl's WebAssembly module, from the optional peer dependency mcl-wasm.
 * @throws Error when mcl-wasm is not installed, or when its loader differs from that of version 2.4.1
 */
export async function loadPairing(): Promise<Uint8Array> {
  const loaded = (await import('mcl-wasm/dist/mcl_c.js')) as unknown as { readonly default: unknown };
  const [, module] = MODULE.exec(String(loaded.default)) ?? [];
  if (module === undefined)
    throw new Error('this version of mcl-wasm is not supported: install version 2.4.1');
  return decodeBase64(module);
}
