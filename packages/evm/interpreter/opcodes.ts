/**
 * The EVM's instructions, one row each. The rows are the source of decoding, dispatch, gas, stack checks, disassembly and benchmarks. The folder
 * revisions/ defines each revision's instructions and prices.
 */

/**
 * Implementation of an instruction. The forms `word`, `push` and `body` are functions of a module of the core.
 * - `word`: works on stack words only.
 * - `push`: pushes one word.
 * - `body`: may charge more gas, halt, or request data from the host.
 * - `control`: AssemblyScript code in the dispatch loop, where ENTER enters the basic block at `ip`.
 * - `decoded`: decoding emits other operations for the instruction.
 */
export type OpcodeExecution =
  | {
      readonly form: 'word' | 'push' | 'body';
      readonly module: string;
      readonly function: string | undefined;
    }
  | { readonly form: 'control'; readonly text: string }
  | { readonly form: 'decoded' };

export type Opcode = {
  readonly code: number;
  readonly name: string;
  /** Words that the instruction pops from the stack, and words that it pushes. */
  readonly inputs: number;
  readonly outputs: number;
  /** Static gas in the revision that adds the instruction. */
  readonly gas: number;
  readonly execution: OpcodeExecution;
  /**
   * `block`: the next instruction begins another basic block, because this instruction reads gas or leaves the block. `path`: in addition, the next
   * instruction is reachable by jumps only.
   */
  readonly ends: 'block' | 'path' | undefined;
  /** Number of immediate bytes that follow the opcode. */
  readonly immediate: number;
};

type Row = readonly [
  code: number,
  name: string,
  inputs: number,
  outputs: number,
  gas: number,
  execution: OpcodeExecution,
  ends?: Opcode['ends'],
  immediate?: number,
];

/** @param name name of the function, when it is not the lower-case name of the instruction */
const word = (module: string, name?: string): OpcodeExecution => ({ form: 'word', module, function: name });
const push = (module: string, name?: string): OpcodeExecution => ({ form: 'push', module, function: name });
const body = (module: string, name?: string): OpcodeExecution => ({ form: 'body', module, function: name });
const control = (text: string): OpcodeExecution => ({ form: 'control', text });
const DECODED: OpcodeExecution = { form: 'decoded' };

const ROWS: readonly Row[] = [
  [0x00, 'STOP', 0, 0, 0, control('result = finish(SUCCESS, gas, 0, 0); break;'), 'path'],
  [0x01, 'ADD', 2, 1, 3, word('words/add')],
  [0x02, 'MUL', 2, 1, 5, word('words/multiply')],
  [0x03, 'SUB', 2, 1, 3, word('words/add')],
  [0x04, 'DIV', 2, 1, 5, word('words/divide')],
  [0x05, 'SDIV', 2, 1, 5, word('words/signed-divide')],
  [0x06, 'MOD', 2, 1, 5, word('words/divide')],
  [0x07, 'SMOD', 2, 1, 5, word('words/signed-divide')],
  [0x08, 'ADDMOD', 3, 1, 8, word('words/modular')],
  [0x09, 'MULMOD', 3, 1, 8, word('words/modular')],
  [0x0a, 'EXP', 2, 1, 10, body('instructions/exponent')],
  [0x0b, 'SIGNEXTEND', 2, 1, 5, word('words/bitwise')],
  [0x10, 'LT', 2, 1, 3, word('words/compare')],
  [0x11, 'GT', 2, 1, 3, word('words/compare')],
  [0x12, 'SLT', 2, 1, 3, word('words/compare')],
  [0x13, 'SGT', 2, 1, 3, word('words/compare')],
  [0x14, 'EQ', 2, 1, 3, word('words/compare')],
  [0x15, 'ISZERO', 1, 1, 3, word('words/compare')],
  [0x16, 'AND', 2, 1, 3, word('words/bitwise')],
  [0x17, 'OR', 2, 1, 3, word('words/bitwise')],
  [0x18, 'XOR', 2, 1, 3, word('words/bitwise')],
  [0x19, 'NOT', 1, 1, 3, word('words/bitwise')],
  [0x1a, 'BYTE', 2, 1, 3, word('words/bitwise', 'byteAt')],
  [0x1b, 'SHL', 2, 1, 3, word('words/shift')],
  [0x1c, 'SHR', 2, 1, 3, word('words/shift')],
  [0x1d, 'SAR', 2, 1, 3, word('words/shift')],
  [0x1e, 'CLZ', 1, 1, 5, word('words/bitwise')],
  [0x20, 'KECCAK256', 2, 1, 30, body('instructions/memory', 'keccak')],
  [0x30, 'ADDRESS', 0, 1, 2, push('instructions/environment')],
  [0x31, 'BALANCE', 1, 1, 20, body('instructions/accounts')],
  [0x32, 'ORIGIN', 0, 1, 2, push('instructions/environment')],
  [0x33, 'CALLER', 0, 1, 2, push('instructions/environment')],
  [0x34, 'CALLVALUE', 0, 1, 2, push('instructions/environment')],
  [0x35, 'CALLDATALOAD', 1, 1, 3, word('instructions/environment')],
  [0x36, 'CALLDATASIZE', 0, 1, 2, push('instructions/environment')],
  [0x37, 'CALLDATACOPY', 3, 0, 3, body('instructions/memory')],
  [0x38, 'CODESIZE', 0, 1, 2, DECODED],
  [0x39, 'CODECOPY', 3, 0, 3, body('instructions/memory')],
  [0x3a, 'GASPRICE', 0, 1, 2, push('instructions/environment')],
  [0x3b, 'EXTCODESIZE', 1, 1, 20, body('instructions/accounts')],
  [0x3c, 'EXTCODECOPY', 4, 0, 20, body('instructions/accounts')],
  [0x3d, 'RETURNDATASIZE', 0, 1, 2, push('instructions/environment')],
  [0x3e, 'RETURNDATACOPY', 3, 0, 3, body('instructions/memory')],
  [0x3f, 'EXTCODEHASH', 1, 1, 400, body('instructions/accounts')],
  [0x40, 'BLOCKHASH', 1, 1, 20, body('instructions/environment')],
  [0x41, 'COINBASE', 0, 1, 2, push('instructions/environment')],
  [0x42, 'TIMESTAMP', 0, 1, 2, push('instructions/environment')],
  [0x43, 'NUMBER', 0, 1, 2, push('instructions/environment', 'blockNumber')],
  [0x44, 'PREVRANDAO', 0, 1, 2, push('instructions/environment')],
  [0x45, 'GASLIMIT', 0, 1, 2, push('instructions/environment')],
  [0x46, 'CHAINID', 0, 1, 2, push('instructions/environment')],
  [0x47, 'SELFBALANCE', 0, 1, 5, push('instructions/environment')],
  [0x48, 'BASEFEE', 0, 1, 2, push('instructions/environment')],
  [0x49, 'BLOBHASH', 1, 1, 3, word('instructions/environment')],
  [0x4a, 'BLOBBASEFEE', 0, 1, 2, push('instructions/environment')],
  [0x4b, 'SLOTNUM', 0, 1, 2, push('instructions/environment')],
  [0x50, 'POP', 1, 0, 2, control('sp -= 32; ip += 16; continue;')],
  [0x51, 'MLOAD', 1, 1, 3, body('instructions/memory')],
  [0x52, 'MSTORE', 2, 0, 3, body('instructions/memory')],
  [0x53, 'MSTORE8', 2, 0, 3, body('instructions/memory')],
  [0x54, 'SLOAD', 1, 1, 50, body('instructions/storage')],
  [0x55, 'SSTORE', 2, 0, 0, body('instructions/storage'), 'block'],
  [
    0x56,
    'JUMP',
    1,
    0,
    8,
    control(`
    const target = fitsU64(sp) && load<u64>(sp) < <u64>load<u32>(code, LENGTH) ? <usize>load<u32>(<usize>load<u32>(code, JUMPS) + (<usize>load<u64>(sp) << 2)) : 0;
    if (target == 0) { result = halt(INVALID_JUMP); break; }
    sp -= 32; ip = target; ENTER`),
    'path',
  ],
  [
    0x57,
    'JUMPI',
    2,
    0,
    10,
    control(`
    if (isZero(sp - 32)) { sp -= 64; ip += 16; continue; }
    const target = fitsU64(sp) && load<u64>(sp) < <u64>load<u32>(code, LENGTH) ? <usize>load<u32>(<usize>load<u32>(code, JUMPS) + (<usize>load<u64>(sp) << 2)) : 0;
    if (target == 0) { result = halt(INVALID_JUMP); break; }
    sp -= 64; ip = target; ENTER`),
    'block',
  ],
  [0x58, 'PC', 0, 1, 2, DECODED],
  [0x59, 'MSIZE', 0, 1, 2, push('instructions/environment')],
  [
    0x5a,
    'GAS',
    0,
    1,
    2,
    control(`
    if (load<u32>(ip, 4) == 0) setGasObserved(true);
    sp += 32; setU64(sp, gas + reserve); ip += 16; continue;`),
    'block',
  ],
  [0x5b, 'JUMPDEST', 0, 0, 1, DECODED],
  [0x5c, 'TLOAD', 1, 1, 100, body('instructions/storage')],
  [0x5d, 'TSTORE', 2, 0, 100, body('instructions/storage')],
  [0x5e, 'MCOPY', 3, 0, 3, body('instructions/memory')],
  [0x5f, 'PUSH0', 0, 1, 2, DECODED],
  ...numbered('PUSH', 1, 32, (n) => [0x5f + n, 0, 1, n]),
  ...numbered('DUP', 1, 16, (n) => [0x7f + n, n, n + 1, 0]),
  ...numbered('SWAP', 1, 16, (n) => [0x8f + n, n + 1, n + 1, 0]),
  [
    0xa0,
    'LOG0',
    2,
    0,
    0,
    control(`
    const topics = load<u32>(ip, 4);
    result = log(sp, topics, gas);
    if (result < 0) break;
    gas = result; sp -= 64 + (topics << 5); ip += 16; continue;`),
  ],
  [0xa1, 'LOG1', 3, 0, 0, DECODED],
  [0xa2, 'LOG2', 4, 0, 0, DECODED],
  [0xa3, 'LOG3', 5, 0, 0, DECODED],
  [0xa4, 'LOG4', 6, 0, 0, DECODED],
  // EIP-8024: JUMPDEST analysis does not count the immediate byte as part of the instruction. Decoding converts the immediate byte to operands.
  [0xe6, 'DUPN', 1, 2, 3, DECODED],
  [0xe7, 'SWAPN', 2, 2, 3, DECODED],
  [
    0xe8,
    'EXCHANGE',
    2,
    2,
    3,
    control('swapWords(sp - load<u32>(ip, 4), sp - load<u32>(ip, 8)); ip += 16; continue;'),
  ],
  [0xf0, 'CREATE', 3, 1, 32000, control('result = createBody(false, ip, sp, gas); break;'), 'block'],
  [0xf1, 'CALL', 7, 1, 40, control('result = callBody(CALL, ip, sp, gas); break;'), 'block'],
  [0xf2, 'CALLCODE', 7, 1, 40, control('result = callBody(CALLCODE, ip, sp, gas); break;'), 'block'],
  [0xf3, 'RETURN', 2, 0, 0, control('result = finish(SUCCESS, gas, sp, sp - 32); break;'), 'path'],
  [0xf4, 'DELEGATECALL', 6, 1, 40, control('result = callBody(DELEGATECALL, ip, sp, gas); break;'), 'block'],
  [0xf5, 'CREATE2', 4, 1, 32000, control('result = createBody(true, ip, sp, gas); break;'), 'block'],
  [0xfa, 'STATICCALL', 6, 1, 700, control('result = callBody(STATICCALL, ip, sp, gas); break;'), 'block'],
  [0xfd, 'REVERT', 2, 0, 0, control('result = finish(REVERT, gas, sp, sp - 32); break;'), 'path'],
  [
    0xfe,
    'INVALID',
    0,
    0,
    0,
    control('setDetails(load<u32>(ip, 4), load<u32>(ip, 8)); result = halt(INVALID_OPCODE); break;'),
    'path',
  ],
  [
    0xff,
    'SELFDESTRUCT',
    1,
    0,
    0,
    control(`
    result = selfdestruct(sp, gas);
    if (result >= 0) result = finish(SUCCESS, result, 0, 0);
    break;`),
    'path',
  ],
];

function numbered(
  name: string,
  from: number,
  to: number,
  shape: (n: number) => readonly [code: number, inputs: number, outputs: number, immediate: number],
): Row[] {
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const [code, inputs, outputs, immediate] = shape(from + i);
    return [code, `${name}${from + i}`, inputs, outputs, 3, DECODED, undefined, immediate];
  });
}

/** All instructions, in ascending order of opcode. */
export const OPCODES: readonly Opcode[] = ROWS.map(
  ([code, name, inputs, outputs, gas, execution, ends, immediate = 0]) => ({
    code,
    name,
    inputs,
    outputs,
    gas,
    execution,
    ends,
    immediate,
  }),
);
