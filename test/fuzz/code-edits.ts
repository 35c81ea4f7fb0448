/** Code as a list of instructions, to change programs without breaking their jumps. */

import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { OPCODES } from '../../scripts/opcodes.ts';
import { OPCODE_BY_VALUE } from './generate/opcodes.ts';

export type Instruction = { readonly offset: number; readonly bytes: Uint8Array };

const PUSH2 = 0x61;
/** EIP-8024: these and SWAPN between them have one immediate byte; no revision before Amsterdam has them. */
const DUPN = OPCODES.get('DUPN') as number;
const EXCHANGE = OPCODES.get('EXCHANGE') as number;

export function parseCode(code: Uint8Array): Instruction[] {
  const instructions: Instruction[] = [];
  for (let offset = 0; offset < code.length; ) {
    const opcode = code[offset] as number;
    const length =
      opcode >= 0x60 && opcode <= 0x7f ? opcode - 0x5e : opcode >= DUPN && opcode <= EXCHANGE ? 2 : 1;
    const bytes = code.subarray(offset, offset + length);
    instructions.push({ offset, bytes });
    offset += bytes.length;
  }
  return instructions;
}

/**
 * Encodes these instructions, which are a subset of `original`. The generator writes code addresses as PUSH2: an
 * address of an instruction's start is adjusted to the instruction's new position.
 */
export function assemble(instructions: readonly Instruction[], original: readonly Instruction[]): Uint8Array {
  const moved = new Map<number, number>();
  let offset = 0;
  let next = 0;
  for (const instruction of original) {
    moved.set(instruction.offset, offset);
    if (instructions[next]?.offset === instruction.offset) {
      offset += (instructions[next] as Instruction).bytes.length;
      next++;
    }
  }
  return concatBytes(
    ...instructions.map(({ bytes }) => {
      if (bytes[0] !== PUSH2 || bytes.length !== 3) return bytes;
      const target = moved.get(((bytes[1] as number) << 8) | (bytes[2] as number));
      return target === undefined ? bytes : Uint8Array.of(PUSH2, target >> 8, target & 0xff);
    }),
  );
}

/** Formats one instruction per line, with offsets. */
export function disassemble(code: Uint8Array): string {
  return parseCode(code)
    .map(({ offset, bytes }) => {
      const opcode = bytes[0] as number;
      const name = OPCODE_BY_VALUE[opcode]?.name ?? `0x${opcode.toString(16)}`;
      return `${offset.toString().padStart(5)} ${name}${bytes.length > 1 ? ` ${bytesToHex(bytes.subarray(1))}` : ''}`;
    })
    .join('\n');
}

/** Returns code that consumes and produces as many words as an instruction, without any other effect. */
export function neutralized(instruction: Instruction): Instruction | undefined {
  const info = OPCODE_BY_VALUE[instruction.bytes[0] as number];
  if (info === undefined || info.inputs > 7 || info.name.startsWith('PUSH') || info.name === 'POP')
    return undefined;
  const bytes = new Uint8Array(info.inputs + 2 * info.outputs).fill(0x50, 0, info.inputs);
  for (let i = 0; i < info.outputs; i++) bytes[info.inputs + 2 * i] = 0x60;
  return { offset: instruction.offset, bytes };
}
