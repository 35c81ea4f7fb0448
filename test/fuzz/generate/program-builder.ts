import { bigIntToBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { OPCODE_BY_NAME } from './opcodes.ts';

/** A position in the code; its address is known when the program is built. */
export type Label = { position: number | undefined };

const JUMPDEST = 0x5b;
const PUSH1 = 0x60;
const PUSH2 = 0x61;

/** Assembles one program and tracks the stack height. */
export class ProgramBuilder {
  readonly #code: number[] = [];
  readonly #references: { readonly at: number; readonly label: Label; readonly delta: number }[] = [];
  readonly #data: { readonly label: Label; readonly bytes: Uint8Array }[] = [];
  readonly #hasPush0: boolean;
  /** Items on the stack at this position if it is reached as planned. */
  height = 0;
  /** Items at the bottom that the current statements do not use. */
  floor = 0;

  constructor(hasPush0: boolean) {
    this.#hasPush0 = hasPush0;
  }

  get length(): number {
    return this.#code.length;
  }

  /** Adds an instruction; immediate bytes are added with `raw`. */
  op(name: string): void {
    const info = OPCODE_BY_NAME.get(name);
    if (info === undefined) throw new RangeError(`no instruction ${name}`);
    this.#code.push(info.opcode);
    this.height += info.outputs - info.inputs;
  }

  ops(names: string): void {
    for (const name of names.split(' ')) this.op(name);
  }

  /** Adds raw bytes; the caller is responsible for their effect on the stack. */
  raw(...bytes: readonly number[]): void {
    for (const byte of bytes) this.#code.push(byte);
  }

  /** Pushes a constant with the shortest instruction, or one of `width` bytes where that is longer. */
  push(value: bigint, width = 0): void {
    const bytes = bigIntToBytes(value);
    const length = Math.max(bytes.length, width);
    this.height++;
    if (length === 0 && this.#hasPush0) {
      this.raw(0x5f);
      return;
    }
    const padding = Math.max(length, 1) - bytes.length;
    this.raw(PUSH1 + padding + bytes.length - 1);
    for (let i = 0; i < padding; i++) this.raw(0);
    this.raw(...bytes);
  }

  createLabel(): Label {
    return { position: undefined };
  }

  /** Pushes a label's address plus `delta`, always as two bytes. */
  pushLabel(label: Label, delta = 0): void {
    this.raw(PUSH2);
    this.#references.push({ at: this.#code.length, label, delta });
    this.raw(0, 0);
    this.height++;
  }

  /** Places a label here, with or without a JUMPDEST. */
  place(label: Label, isDestination = true): void {
    label.position = this.#code.length;
    if (isDestination) this.raw(JUMPDEST);
  }

  /** Adds bytes after the program. @returns their label */
  addData(bytes: Uint8Array): Label {
    const label = this.createLabel();
    this.#data.push({ label, bytes });
    return label;
  }

  build(): Uint8Array {
    for (const { label, bytes } of this.#data) {
      this.place(label, false);
      this.raw(...bytes);
    }
    for (const { at, label, delta } of this.#references) {
      const target = ((label.position ?? 0) + delta) & 0xffff;
      this.#code[at] = target >> 8;
      this.#code[at + 1] = target & 0xff;
    }
    return Uint8Array.from(this.#code);
  }
}
