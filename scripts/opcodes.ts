/** Names of single opcodes by value; the numbered families (PUSH, DUP, SWAP, LOG) are built below. */
const SINGLE: Readonly<Record<number, string>> = {
  0: 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND',
  16: 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ',
  32: 'SHA3',
  48: 'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH',
  64: 'BLOCKHASH COINBASE TIMESTAMP NUMBER PREVRANDAO GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH BLOBBASEFEE SLOTNUM',
  80: 'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY PUSH0',
  230: 'DUPN SWAPN EXCHANGE',
  240: 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2',
  250: 'STATICCALL',
  253: 'REVERT INVALID SELFDESTRUCT',
};

const FAMILIES: readonly { name: string; first: number; value: number; count: number }[] = [
  { name: 'PUSH', first: 1, value: 0x60, count: 32 },
  { name: 'DUP', first: 1, value: 0x80, count: 16 },
  { name: 'SWAP', first: 1, value: 0x90, count: 16 },
  { name: 'LOG', first: 0, value: 0xa0, count: 5 },
];

/** Opcode values by mnemonic, Frontier to Amsterdam; the immediates of DUPN, SWAPN and EXCHANGE are raw bytes. */
export const OPCODES: ReadonlyMap<string, number> = new Map([
  ...Object.entries(SINGLE).flatMap(([start, names]) =>
    names.split(' ').map((name, i): [string, number] => [name, Number(start) + i]),
  ),
  ...FAMILIES.flatMap(({ name, first, value, count }) =>
    Array.from({ length: count }, (_, i): [string, number] => [`${name}${first + i}`, value + i]),
  ),
]);
