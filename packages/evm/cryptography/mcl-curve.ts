import { isAllZero, isBelow } from './bytes-below.ts';
import type { MclExports, MclFactory, MclInstance } from './mcl-module.ts';

/** Sizes of mcl values in memory, bytes. Points are in Jacobian coordinates. */
export const FIELD_SIZE = 48;
export const SCALAR_SIZE = 32;
export const G1_SIZE: number = 3 * FIELD_SIZE;
export const G2_SIZE: number = 6 * FIELD_SIZE;
export const GT_SIZE: number = 12 * FIELD_SIZE;

/** Layout number that `mclBn_init` compares with its own: 10 times the 64-bit units of a scalar, plus the 64-bit units of a field element. */
const LAYOUT = (SCALAR_SIZE / 8) * 10 + FIELD_SIZE / 8;

export type CurveOptions = {
  /** Curve id in mcl's C interface. */
  readonly id: number;
  /** Order of the field as big-endian bytes, padded to the length of a coordinate. */
  readonly fieldOrder: Uint8Array;
  /** Whether the imaginary part of an element of the quadratic extension is encoded first. */
  readonly isImaginaryFirst: boolean;
};

/** An mcl curve with its own memory. Values are copied in and out as big-endian bytes. Methods refer to a value by its address, a number. */
export class MclCurve {
  readonly exports: MclExports;
  /** Bytes per coordinate. */
  readonly fieldBytes: number;
  readonly #memory: MclInstance['memory'];
  readonly #fieldOrder: Uint8Array;
  readonly #isImaginaryFirst: boolean;
  readonly #transfer: number;
  #bytes: Uint8Array;

  constructor(instantiate: MclFactory, { id, fieldOrder, isImaginaryFirst }: CurveOptions) {
    const { exports, memory } = instantiate();
    this.exports = exports;
    this.#memory = memory;
    if (exports.mclBn_init(id, LAYOUT) !== 0) throw new Error(`mcl does not know curve ${id}`);
    // Turns off mcl's group checks, so that its validity checks cover only the curve equation. Group membership is checked separately where it is
    // required.
    exports.mclBn_verifyOrderG1(0);
    exports.mclBn_verifyOrderG2(0);
    this.fieldBytes = fieldOrder.length;
    this.#fieldOrder = fieldOrder;
    this.#isImaginaryFirst = isImaginaryFirst;
    this.#transfer = exports.malloc(FIELD_SIZE);
    this.#bytes = new Uint8Array(memory.buffer);
  }

  /** Allocates memory for the lifetime of the curve. @throws Error when mcl has no memory left */
  allocate(size: number): number {
    const address = this.exports.malloc(size);
    if (address === 0) throw new Error('mcl has no memory left');
    return address;
  }

  /** Returns a copy of a value, because another execution may overwrite the curve's memory. */
  save(from: number, size: number): Uint8Array {
    return this.#view().slice(from, from + size);
  }

  restore(to: number, saved: Uint8Array): void {
    this.#put(to, saved);
  }

  copy(to: number, from: number, size: number): void {
    this.#view().copyWithin(to, from, from + size);
  }

  /** Loads a field element. @returns false when the bytes are not below the field order */
  setField(to: number, bytes: Uint8Array): boolean {
    if (!isBelow(bytes, this.#fieldOrder)) return false;
    this.#put(this.#transfer, bytes);
    this.exports.mclBnFp_setBigEndianMod(to, this.#transfer, this.fieldBytes);
    return true;
  }

  getField(from: number, to: Uint8Array): void {
    this.exports.mclBnFp_serialize(this.#transfer, this.fieldBytes, from);
    to.set(this.#view().subarray(this.#transfer, this.#transfer + this.fieldBytes));
    to.reverse();
  }

  /** Loads a scalar: any 32 bytes, reduced modulo the group order. */
  setScalar(to: number, bytes: Uint8Array): void {
    this.#put(this.#transfer, bytes);
    this.exports.mclBnFr_setBigEndianMod(to, this.#transfer, SCALAR_SIZE);
  }

  /** Loads an element of the quadratic extension. @returns false when a part is not below the field order */
  setField2(to: number, bytes: Uint8Array): boolean {
    const { fieldBytes } = this;
    const [real, imaginary] = this.#isImaginaryFirst ? [fieldBytes, 0] : [0, fieldBytes];
    return (
      this.setField(to, bytes.subarray(real, real + fieldBytes)) &&
      this.setField(to + FIELD_SIZE, bytes.subarray(imaginary, imaginary + fieldBytes))
    );
  }

  /** Loads a point from x and y; all zeros is the point at infinity. @returns false when the point is not on the curve */
  setG1(to: number, bytes: Uint8Array): boolean {
    const { exports, fieldBytes } = this;
    if (isAllZero(bytes)) {
      exports.mclBnG1_clear(to);
      return true;
    }
    if (!this.setField(to, bytes.subarray(0, fieldBytes))) return false;
    if (!this.setField(to + FIELD_SIZE, bytes.subarray(fieldBytes))) return false;
    exports.mclBnFp_setInt32(to + 2 * FIELD_SIZE, 1);
    return exports.mclBnG1_isValid(to) === 1;
  }

  setG2(to: number, bytes: Uint8Array): boolean {
    const { exports, fieldBytes } = this;
    if (isAllZero(bytes)) {
      exports.mclBnG2_clear(to);
      return true;
    }
    if (!this.setField2(to, bytes.subarray(0, 2 * fieldBytes))) return false;
    if (!this.setField2(to + 2 * FIELD_SIZE, bytes.subarray(2 * fieldBytes))) return false;
    exports.mclBnFp_setInt32(to + 4 * FIELD_SIZE, 1);
    exports.mclBnFp_setInt32(to + 5 * FIELD_SIZE, 0);
    return exports.mclBnG2_isValid(to) === 1;
  }

  /** Returns x and y of a point, which is normalized in place. */
  getG1(from: number): Uint8Array {
    const { exports, fieldBytes } = this;
    const point = new Uint8Array(2 * fieldBytes);
    if (exports.mclBnG1_isZero(from) === 1) return point;
    exports.mclBnG1_normalize(from, from);
    this.getField(from, point.subarray(0, fieldBytes));
    this.getField(from + FIELD_SIZE, point.subarray(fieldBytes));
    return point;
  }

  getG2(from: number): Uint8Array {
    const { exports, fieldBytes } = this;
    const point = new Uint8Array(4 * fieldBytes);
    if (exports.mclBnG2_isZero(from) === 1) return point;
    exports.mclBnG2_normalize(from, from);
    for (let i = 0; i < 4; i++) {
      const place = this.#isImaginaryFirst ? i ^ 1 : i;
      this.getField(from + i * FIELD_SIZE, point.subarray(place * fieldBytes, (place + 1) * fieldBytes));
    }
    return point;
  }

  #put(to: number, bytes: Uint8Array): void {
    this.#view().set(bytes, to);
  }

  /** Returns a view of the module's memory. Growth of the memory detaches its buffer, and the next call recreates the view. */
  #view(): Uint8Array {
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.#memory.buffer);
    return this.#bytes;
  }
}
