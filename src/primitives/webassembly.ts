/** What is used here of the WebAssembly interface, which no type definitions declare but a browser's. */

export type WebAssemblyMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
/** Compiled code. It holds no state and may be handed to other threads. */
export type WebAssemblyModule = object;

type WebAssemblyInterface = {
  readonly Module: new (bytes: Uint8Array) => WebAssemblyModule;
  readonly Memory: new (limits: { readonly initial: number }) => WebAssemblyMemory;
  readonly Instance: new (module: WebAssemblyModule, imports?: object) => { readonly exports: object };
};

const host = globalThis as unknown as { readonly WebAssembly: WebAssemblyInterface };

export const WEB_ASSEMBLY: WebAssemblyInterface = host.WebAssembly;
