/**
 * The EVM's instructions, one row each: what decoding, dispatch, gas, stack checks, disassembly and benches derive from.
 */
import { isAtLeast, type Revision } from './revision.ts';

/**
 * How an instruction is carried out.
 * `word`: works on stack words only. `push`: puts one word on the stack. `body`: may cost more gas, halt, or ask the host.
 * `control`: changes where execution goes on; the dispatch loop has a line of its own for it.
 */
export type OpcodeForm = 'word' | 'push' | 'body' | 'control';

export type Opcode = {
  readonly code: number;
  readonly name: string;
  /** Words that it takes from the stack, and leaves there. */
  readonly inputs: number;
  readonly outputs: number;
  /** Gas that it costs whatever it does, in the revision that introduced it. */
  readonly gas: number;
  readonly since: Revision;
  readonly form: OpcodeForm;
};

type Row = readonly [
  code: number,
  name: string,
  inputs: number,
  outputs: number,
  gas: number,
  form: OpcodeForm,
  since?: Revision,
];

const ROWS: readonly Row[] = [
  [0x00, 'STOP', 0, 0, 0, 'control'],
  [0x01, 'ADD', 2, 1, 3, 'word'],
  [0x02, 'MUL', 2, 1, 5, 'word'],
  [0x03, 'SUB', 2, 1, 3, 'word'],
  [0x04, 'DIV', 2, 1, 5, 'word'],
  [0x05, 'SDIV', 2, 1, 5, 'word'],
  [0x06, 'MOD', 2, 1, 5, 'word'],
  [0x07, 'SMOD', 2, 1, 5, 'word'],
  [0x08, 'ADDMOD', 3, 1, 8, 'word'],
  [0x09, 'MULMOD', 3, 1, 8, 'word'],
  [0x0a, 'EXP', 2, 1, 10, 'body'],
  [0x0b, 'SIGNEXTEND', 2, 1, 5, 'word'],
  [0x10, 'LT', 2, 1, 3, 'word'],
  [0x11, 'GT', 2, 1, 3, 'word'],
  [0x12, 'SLT', 2, 1, 3, 'word'],
  [0x13, 'SGT', 2, 1, 3, 'word'],
  [0x14, 'EQ', 2, 1, 3, 'word'],
  [0x15, 'ISZERO', 1, 1, 3, 'word'],
  [0x16, 'AND', 2, 1, 3, 'word'],
  [0x17, 'OR', 2, 1, 3, 'word'],
  [0x18, 'XOR', 2, 1, 3, 'word'],
  [0x19, 'NOT', 1, 1, 3, 'word'],
  [0x1a, 'BYTE', 2, 1, 3, 'word'],
  [0x1b, 'SHL', 2, 1, 3, 'word', 'constantinople'],
  [0x1c, 'SHR', 2, 1, 3, 'word', 'constantinople'],
  [0x1d, 'SAR', 2, 1, 3, 'word', 'constantinople'],
  [0x1e, 'CLZ', 1, 1, 5, 'word', 'osaka'],
  [0x20, 'KECCAK256', 2, 1, 30, 'body'],
  [0x30, 'ADDRESS', 0, 1, 2, 'push'],
  [0x31, 'BALANCE', 1, 1, 20, 'body'],
  [0x32, 'ORIGIN', 0, 1, 2, 'push'],
  [0x33, 'CALLER', 0, 1, 2, 'push'],
  [0x34, 'CALLVALUE', 0, 1, 2, 'push'],
  [0x35, 'CALLDATALOAD', 1, 1, 3, 'word'],
  [0x36, 'CALLDATASIZE', 0, 1, 2, 'push'],
  [0x37, 'CALLDATACOPY', 3, 0, 3, 'body'],
  [0x38, 'CODESIZE', 0, 1, 2, 'control'],
  [0x39, 'CODECOPY', 3, 0, 3, 'body'],
  [0x3a, 'GASPRICE', 0, 1, 2, 'push'],
  [0x3b, 'EXTCODESIZE', 1, 1, 20, 'body'],
  [0x3c, 'EXTCODECOPY', 4, 0, 20, 'body'],
  [0x3d, 'RETURNDATASIZE', 0, 1, 2, 'push', 'byzantium'],
  [0x3e, 'RETURNDATACOPY', 3, 0, 3, 'body', 'byzantium'],
  [0x3f, 'EXTCODEHASH', 1, 1, 400, 'body', 'constantinople'],
  [0x40, 'BLOCKHASH', 1, 1, 20, 'body'],
  [0x41, 'COINBASE', 0, 1, 2, 'push'],
  [0x42, 'TIMESTAMP', 0, 1, 2, 'push'],
  [0x43, 'NUMBER', 0, 1, 2, 'push'],
  [0x44, 'PREVRANDAO', 0, 1, 2, 'push'],
  [0x45, 'GASLIMIT', 0, 1, 2, 'push'],
  [0x46, 'CHAINID', 0, 1, 2, 'push', 'istanbul'],
  [0x47, 'SELFBALANCE', 0, 1, 5, 'push', 'istanbul'],
  [0x48, 'BASEFEE', 0, 1, 2, 'push', 'london'],
  [0x49, 'BLOBHASH', 1, 1, 3, 'word', 'cancun'],
  [0x4a, 'BLOBBASEFEE', 0, 1, 2, 'push', 'cancun'],
  [0x50, 'POP', 1, 0, 2, 'control'],
  [0x51, 'MLOAD', 1, 1, 3, 'body'],
  [0x52, 'MSTORE', 2, 0, 3, 'body'],
  [0x53, 'MSTORE8', 2, 0, 3, 'body'],
  [0x54, 'SLOAD', 1, 1, 50, 'body'],
  [0x55, 'SSTORE', 2, 0, 0, 'body'],
  [0x56, 'JUMP', 1, 0, 8, 'control'],
  [0x57, 'JUMPI', 2, 0, 10, 'control'],
  [0x58, 'PC', 0, 1, 2, 'control'],
  [0x59, 'MSIZE', 0, 1, 2, 'push'],
  [0x5a, 'GAS', 0, 1, 2, 'control'],
  [0x5b, 'JUMPDEST', 0, 0, 1, 'control'],
  [0x5c, 'TLOAD', 1, 1, 100, 'body', 'cancun'],
  [0x5d, 'TSTORE', 2, 0, 100, 'body', 'cancun'],
  [0x5e, 'MCOPY', 3, 0, 3, 'body', 'cancun'],
  [0x5f, 'PUSH0', 0, 1, 2, 'control', 'shanghai'],
  ...numbered('PUSH', 1, 32, (n) => [0x5f + n, 0, 1]),
  ...numbered('DUP', 1, 16, (n) => [0x7f + n, n, n + 1]),
  ...numbered('SWAP', 1, 16, (n) => [0x8f + n, n + 1, n + 1]),
  [0xa0, 'LOG0', 2, 0, 375, 'control'],
  [0xa1, 'LOG1', 3, 0, 750, 'control'],
  [0xa2, 'LOG2', 4, 0, 1125, 'control'],
  [0xa3, 'LOG3', 5, 0, 1500, 'control'],
  [0xa4, 'LOG4', 6, 0, 1875, 'control'],
  [0xf0, 'CREATE', 3, 1, 32000, 'control'],
  [0xf1, 'CALL', 7, 1, 40, 'control'],
  [0xf2, 'CALLCODE', 7, 1, 40, 'control'],
  [0xf3, 'RETURN', 2, 0, 0, 'control'],
  [0xf4, 'DELEGATECALL', 6, 1, 40, 'control', 'homestead'],
  [0xf5, 'CREATE2', 4, 1, 32000, 'control', 'constantinople'],
  [0xfa, 'STATICCALL', 6, 1, 700, 'control', 'byzantium'],
  [0xfd, 'REVERT', 2, 0, 0, 'control', 'byzantium'],
  [0xfe, 'INVALID', 0, 0, 0, 'control'],
  [0xff, 'SELFDESTRUCT', 1, 0, 0, 'control'],
];

function numbered(
  name: string,
  from: number,
  to: number,
  shape: (n: number) => readonly [code: number, inputs: number, outputs: number],
): Row[] {
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const [code, inputs, outputs] = shape(from + i);
    return [code, `${name}${from + i}`, inputs, outputs, 3, 'control'];
  });
}

/** All instructions, by code. */
export const OPCODES: readonly Opcode[] = ROWS.map(
  ([code, name, inputs, outputs, gas, form, since = 'frontier']) => ({
    code,
    name,
    inputs,
    outputs,
    gas,
    form,
    since,
  }),
);

/** Static gas that later revisions changed, each by its EIP: 150, 1884, 2929. */
const REPRICINGS: readonly { readonly since: Revision; readonly gas: Readonly<Record<string, number>> }[] = [
  {
    since: 'tangerineWhistle',
    gas: {
      EXTCODESIZE: 700,
      EXTCODECOPY: 700,
      BALANCE: 400,
      SLOAD: 200,
      CALL: 700,
      CALLCODE: 700,
      DELEGATECALL: 700,
      SELFDESTRUCT: 5000,
    },
  },
  { since: 'istanbul', gas: { SLOAD: 800, BALANCE: 700, EXTCODEHASH: 700 } },
  {
    since: 'berlin',
    gas: {
      SLOAD: 100,
      BALANCE: 100,
      EXTCODESIZE: 100,
      EXTCODECOPY: 100,
      EXTCODEHASH: 100,
      CALL: 100,
      CALLCODE: 100,
      DELEGATECALL: 100,
      STATICCALL: 100,
    },
  },
];

/** Static gas of an instruction under a revision. */
export function staticGasOf({ name, gas }: Opcode, revision: Revision): number {
  const repricing = REPRICINGS.findLast(
    ({ since, gas: changed }) => isAtLeast(revision, since) && changed[name] !== undefined,
  );
  return repricing?.gas[name] ?? gas;
}

/** The instructions that a revision has. */
export function opcodesOf(revision: Revision): readonly Opcode[] {
  return OPCODES.filter(({ since }) => isAtLeast(revision, since));
}
