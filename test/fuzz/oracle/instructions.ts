/** Ways into the library's table of instructions, which each EVM has for itself. */
import type { EVM } from '@ethereumjs/evm';

type InstructionTable = EVM['_opcodeMap'];
type Instruction = InstructionTable[number];
export type Handler = Instruction['opHandler'];
export type GasHandler = Instruction['gasHandler'];
export type RunState = Parameters<Handler>[0];

/** Replaces what an instruction does. The new handler may call the old one. */
export function replaceHandler(evm: EVM, opcode: number, replace: (old: Handler) => Handler): void {
  const instruction = evm['_opcodeMap'][opcode] as Instruction;
  evm['_opcodeMap'][opcode] = { ...instruction, opHandler: replace(instruction.opHandler) };
}

/** Replaces what an instruction costs beyond its fixed part. */
export function replaceGasHandler(evm: EVM, opcode: number, replace: (old: GasHandler) => GasHandler): void {
  const instruction = evm['_opcodeMap'][opcode] as Instruction;
  evm['_opcodeMap'][opcode] = { ...instruction, gasHandler: replace(instruction.gasHandler) };
}

/** Adds to the gas that an instruction costs. */
export function addGas(evm: EVM, opcode: number, extra: bigint): void {
  const instruction = evm['_opcodeMap'][opcode] as Instruction;
  const { opcodeInfo, gasHandler } = instruction;
  evm['_opcodeMap'][opcode] = opcodeInfo.dynamicGas
    ? {
        ...instruction,
        gasHandler: async (runState, gas, common) => (await gasHandler(runState, gas, common)) + extra,
      }
    : { ...instruction, opcodeInfo: { ...opcodeInfo, feeBigInt: opcodeInfo.feeBigInt + extra } };
}

/** Counts every instruction that gets as far as being executed. */
export function countInstructions(evm: EVM): { count: number } {
  const counter = { count: 0 };
  for (let opcode = 0; opcode < 256; opcode++) {
    replaceHandler(evm, opcode, (old) => (runState, common) => {
      counter.count++;
      return old(runState, common);
    });
  }
  return counter;
}
