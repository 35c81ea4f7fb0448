/** Why execution halted, in geth's words (core/vm/errors.go). */

const REASONS: Readonly<Record<string, string>> = {
  'out of gas': 'out of gas',
  'code store out of gas': 'contract creation code storage out of gas',
  'code size to deposit exceeds maximum code size': 'max code size exceeded',
  'value out of range': 'return data out of bounds',
  'static state change': 'write protection',
  'create collision': 'contract address collision',
  'insufficient balance': 'insufficient balance for transfer',
  'invalid bytecode deployed': 'invalid code: must not begin with 0xef',
  'initcode exceeds max initcode size': 'max initcode size exceeded',
};

const STACK_LIMIT = 1024;
const RETURNDATACOPY = 0x3e;

/** Stack inputs of the opcodes whose count is not given by their number; DUP, SWAP and LOG follow below. */
const STACK_INPUTS: Readonly<Record<number, number>> = Object.fromEntries(
  (
    [
      [1, '15 19 31 35 3b 3f 40 49 50 51 54 56 5c ff 1e'],
      [2, '01 02 03 04 05 06 07 0a 0b 10 11 12 13 14 16 17 18 1a 1b 1c 1d 20 52 53 55 57 5d f3 fd'],
      [3, '08 09 37 39 3e 5e f0'],
      [4, '3c f5'],
      [6, 'f4 fa'],
      [7, 'f1 f2'],
    ] as const
  ).flatMap(([inputs, codes]) => codes.split(' ').map((code) => [Number.parseInt(code, 16), inputs])),
);

function stackInputs(opcode: number): number {
  if (opcode >= 0x80 && opcode <= 0x8f) return opcode - 0x7f;
  if (opcode >= 0x90 && opcode <= 0x9f) return opcode - 0x8e;
  if (opcode >= 0xa0 && opcode <= 0xa4) return opcode - 0x9e;
  return STACK_INPUTS[opcode] ?? 0;
}

/**
 * @param error the library's name for the halt; that of a bad jump goes on to say where
 * @param opcode the instruction that halted
 * @param stackHeight number of items before it
 * @param gasLeft what the library left of the gas: nothing when it really ran out
 */
export function describeHalt(error: string, opcode: number, stackHeight: number, gasLeft: bigint): string {
  if (error.startsWith('invalid JUMP')) return 'invalid jump destination';
  if (error === 'out of gas' && opcode === RETURNDATACOPY && gasLeft > 0n) return 'return data out of bounds';
  if (error === 'invalid opcode') {
    return opcode === 0xfe
      ? 'invalid opcode: INVALID'
      : `invalid opcode: opcode 0x${opcode.toString(16)} not defined`;
  }
  if (error === 'stack underflow') return `stack underflow (${stackHeight} <=> ${stackInputs(opcode)})`;
  if (error === 'stack overflow') return `stack limit reached ${stackHeight} (${STACK_LIMIT - 1})`;
  return REASONS[error] ?? error;
}
