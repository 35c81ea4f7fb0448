/** The part of the WebAssembly interface that is used here; no library of the compiler declares it without a browser's. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module);
    readonly exports: unknown;
  }
}
