/** Subset of the WebAssembly interface used here; only browser type libraries declare it. */

export type WebAssemblyMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
/** Compiled module, which has no state and may be passed to other threads. */
export type WebAssemblyModule = object;

type WebAssemblyInterface = {
  readonly Module: new (bytes: Uint8Array) => WebAssemblyModule;
  readonly Memory: new (limits: { readonly initial: number }) => WebAssemblyMemory;
  readonly Instance: new (module: WebAssemblyModule, imports?: object) => { readonly exports: object };
};

const host = globalThis as unknown as { readonly WebAssembly: WebAssemblyInterface };

export const WEB_ASSEMBLY: WebAssemblyInterface = host.WebAssembly;
