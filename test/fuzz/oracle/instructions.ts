/** Access to the library's instruction table, of which each EVM has its own. */
import type { EVM } from '@ethereumjs/evm';

type InstructionTable = EVM['_opcodeMap'];
type Instruction = InstructionTable[number];
export type Handler = Instruction['opHandler'];
export type GasHandler = Instruction['gasHandler'];
export type RunState = Parameters<Handler>[0];

/** Replaces the handler of an instruction. The new handler may call the old one. */
export function replaceHandler(evm: EVM, opcode: number, replace: (old: Handler) => Handler): void {
  const instruction = evm['_opcodeMap'][opcode] as Instruction;
  evm['_opcodeMap'][opcode] = { ...instruction, opHandler: replace(instruction.opHandler) };
}

/** Replaces the dynamic gas of an instruction. */
export function replaceGasHandler(evm: EVM, opcode: number, replace: (old: GasHandler) => GasHandler): void {
  const instruction = evm['_opcodeMap'][opcode] as Instruction;
  evm['_opcodeMap'][opcode] = { ...instruction, gasHandler: replace(instruction.gasHandler) };
}

/** Adds to the gas cost of an instruction. */
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

/** Counts every instruction whose execution begins. */
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
