import {
  WEB_ASSEMBLY,
  type WebAssemblyMemory,
  type WebAssemblyModule,
} from '../../ethereum/primitives/webassembly.ts';

type Unary = (to: number, from: number) => void;
type Binary = (to: number, a: number, b: number) => void;
type Test = (at: number) => number;
type Equality = (a: number, b: number) => number;

/** Functions of mcl's C interface that this package uses. All numbers are addresses in mcl's memory unless a comment says otherwise. */
export type MclExports = {
  readonly __wasm_call_ctors: () => void;
  readonly malloc: (bytes: number) => number;
  /** Returns 0 on success. */
  readonly mclBn_init: (curve: number, layout: number) => number;
  readonly mclBn_setMapToMode: (mode: number) => number;
  readonly mclBn_verifyOrderG1: (isVerified: number) => void;
  readonly mclBn_verifyOrderG2: (isVerified: number) => void;
  readonly mclBn_millerLoopVec: (to: number, g1: number, g2: number, count: number) => void;
  readonly mclBn_finalExp: Unary;
  readonly mclBn_getUint64NumToPrecompute: () => number;
  readonly mclBn_precomputeG2: Unary;
  /** Miller loop over two G1 points, each paired with a precomputed G2 point. */
  readonly mclBn_precomputedMillerLoop2: (to: number, a: number, aG2: number, b: number, bG2: number) => void;
  readonly mclBnGT_mul: Binary;
  readonly mclBnGT_isOne: Test;

  readonly mclBnFr_setBigEndianMod: (to: number, bytes: number, length: number) => number;
  readonly mclBnFr_isEqual: Equality;
  readonly mclBnFr_neg: Unary;
  readonly mclBnFr_inv: Unary;
  readonly mclBnFr_mul: Binary;

  readonly mclBnFp_setInt32: (to: number, value: number) => void;
  readonly mclBnFp_setBigEndianMod: (to: number, bytes: number, length: number) => number;
  /** Writes the little-endian bytes of a field element and returns their length. */
  readonly mclBnFp_serialize: (to: number, length: number, from: number) => number;
  readonly mclBnFp_isOdd: Test;
  readonly mclBnFp_isNegative: Test;
  readonly mclBnFp_neg: Unary;
  readonly mclBnFp_add: Binary;
  readonly mclBnFp_mul: Binary;
  readonly mclBnFp2_mul: Binary;
  /** Returns 0 when the element has a square root. */
  readonly mclBnFp_squareRoot: (to: number, from: number) => number;
  readonly mclBnFp_mapToG1: (to: number, from: number) => number;
  readonly mclBnFp2_mapToG2: (to: number, from: number) => number;

  readonly mclBnG1_clear: (at: number) => void;
  readonly mclBnG1_isValid: Test;
  readonly mclBnG1_isValidOrder: Test;
  readonly mclBnG1_isZero: Test;
  readonly mclBnG1_normalize: Unary;
  readonly mclBnG1_neg: Unary;
  readonly mclBnG1_add: Binary;
  readonly mclBnG1_mul: Binary;
  readonly mclBnG1_mulVec: (to: number, points: number, scalars: number, count: number) => void;
  readonly mclBnG2_clear: (at: number) => void;
  readonly mclBnG2_isValid: Test;
  readonly mclBnG2_isValidOrder: Test;
  readonly mclBnG2_isZero: Test;
  readonly mclBnG2_isEqual: Equality;
  readonly mclBnG2_normalize: Unary;
  readonly mclBnG2_dbl: Unary;
  readonly mclBnG2_add: Binary;
  readonly mclBnG2_mulVec: (to: number, points: number, scalars: number, count: number) => void;
};

export type MclInstance = { readonly exports: MclExports; readonly memory: WebAssemblyMemory };

/** Memory pages required by the module's data and stack. mcl-wasm's own loader uses the same number. */
const MEMORY_PAGES = 32;

/** Creates another instance of mcl's module. Each curve needs an instance of its own. */
export type MclFactory = () => MclInstance;

/**
 * Returns a factory of mcl instances. mcl-wasm's own loader is asynchronous and supports only one curve per process.
 * @param readModule returns the bytes of mcl's WebAssembly module. The first instance calls `readModule` and compiles the module, which takes 4 ms.
 */
export function createMclFactory(readModule: () => Uint8Array): MclFactory {
  let compiled: WebAssemblyModule | undefined;
  return () => {
    compiled ??= new WEB_ASSEMBLY.Module(readModule());
    const memory = new WEB_ASSEMBLY.Memory({ initial: MEMORY_PAGES });
    const instance = new WEB_ASSEMBLY.Instance(compiled, { env: { memory } });
    const exports = instance.exports as MclExports;
    exports.__wasm_call_ctors();
    return { exports, memory };
  };
}
