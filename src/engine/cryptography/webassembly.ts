/** What we use of the WebAssembly interface; Node's type definitions leave it out. */

export type WebAssemblyMemory = { readonly buffer: ArrayBuffer };
export type WebAssemblyModule = object;

type WebAssemblyInterface = {
  readonly Module: new (bytes: Uint8Array) => WebAssemblyModule;
  readonly Memory: new (limits: { readonly initial: number }) => WebAssemblyMemory;
  readonly Instance: new (module: WebAssemblyModule, imports?: object) => { readonly exports: object };
};

const host = globalThis as unknown as { readonly WebAssembly: WebAssemblyInterface };

export const WEB_ASSEMBLY: WebAssemblyInterface = host.WebAssembly;
