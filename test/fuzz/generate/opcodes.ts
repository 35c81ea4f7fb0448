/** Properties of instructions that the generators need. */

import { REVISIONS, type Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { OPCODES } from '../../../scripts/opcodes.ts';
import { isAtLeast } from '../../support/is-at-least.ts';

export type OpcodeInfo = {
  readonly name: string;
  readonly opcode: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly since: Revision;
};

/** Stack inputs and outputs by instruction; for DUPN, SWAPN and EXCHANGE only their net effect, because the immediate selects the depth. */
const SHAPES: readonly (readonly [inputs: number, outputs: number, names: string])[] = [
  [0, 0, 'STOP JUMPDEST INVALID SWAPN EXCHANGE'],
  [2, 1, 'ADD MUL SUB DIV SDIV MOD SMOD EXP SIGNEXTEND LT GT SLT SGT EQ AND OR XOR BYTE SHL SHR SAR SHA3'],
  [3, 1, 'ADDMOD MULMOD CREATE'],
  [1, 1, 'ISZERO NOT CLZ BALANCE CALLDATALOAD EXTCODESIZE EXTCODEHASH BLOCKHASH BLOBHASH MLOAD SLOAD TLOAD'],
  [
    0,
    1,
    'ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE COINBASE TIMESTAMP NUMBER',
  ],
  [0, 1, 'PREVRANDAO GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBBASEFEE PC MSIZE GAS PUSH0 SLOTNUM DUPN'],
  [3, 0, 'CALLDATACOPY CODECOPY RETURNDATACOPY MCOPY'],
  [4, 0, 'EXTCODECOPY'],
  [1, 0, 'POP JUMP SELFDESTRUCT'],
  [2, 0, 'MSTORE MSTORE8 SSTORE TSTORE JUMPI RETURN REVERT'],
  [4, 1, 'CREATE2'],
  [7, 1, 'CALL CALLCODE'],
  [6, 1, 'DELEGATECALL STATICCALL'],
];

const SINCE: Readonly<Record<string, Revision>> = {
  DELEGATECALL: 'homestead',
  RETURNDATASIZE: 'byzantium',
  RETURNDATACOPY: 'byzantium',
  STATICCALL: 'byzantium',
  REVERT: 'byzantium',
  SHL: 'constantinople',
  SHR: 'constantinople',
  SAR: 'constantinople',
  EXTCODEHASH: 'constantinople',
  CREATE2: 'constantinople',
  CHAINID: 'istanbul',
  SELFBALANCE: 'istanbul',
  BASEFEE: 'london',
  PUSH0: 'shanghai',
  TLOAD: 'cancun',
  TSTORE: 'cancun',
  MCOPY: 'cancun',
  BLOBHASH: 'cancun',
  BLOBBASEFEE: 'cancun',
  CLZ: 'osaka',
  SLOTNUM: 'amsterdam',
  DUPN: 'amsterdam',
  SWAPN: 'amsterdam',
  EXCHANGE: 'amsterdam',
};

function numbered(): OpcodeInfo[] {
  const infos: OpcodeInfo[] = [];
  for (const [name, opcode] of OPCODES) {
    const [, family, count] = /^(PUSH|DUP|SWAP|LOG)(\d+)$/.exec(name) ?? [];
    if (family === undefined || name === 'PUSH0') continue;
    const n = Number(count);
    const inputs = { PUSH: 0, DUP: n, SWAP: n + 1, LOG: n + 2 }[family] as number;
    const outputs = { PUSH: 1, DUP: n + 1, SWAP: n + 1, LOG: 0 }[family] as number;
    infos.push({ name, opcode, inputs, outputs, since: 'frontier' });
  }
  return infos;
}

function listed(): OpcodeInfo[] {
  return SHAPES.flatMap(([inputs, outputs, names]) =>
    names.split(' ').map((name) => ({
      name,
      opcode: OPCODES.get(name) as number,
      inputs,
      outputs,
      since: SINCE[name] ?? 'frontier',
    })),
  );
}

const ALL: readonly OpcodeInfo[] = [...numbered(), ...listed()];

export const OPCODE_BY_NAME: ReadonlyMap<string, OpcodeInfo> = new Map(ALL.map((info) => [info.name, info]));

/** Instructions by opcode; undefined where no revision has one. */
export const OPCODE_BY_VALUE: readonly (OpcodeInfo | undefined)[] = Array.from({ length: 256 }, (_, value) =>
  ALL.find(({ opcode }) => opcode === value),
);

const DEFINED: ReadonlyMap<Revision, readonly OpcodeInfo[]> = new Map(
  REVISIONS.map((revision) => [revision, ALL.filter(({ since }) => isAtLeast(revision, since))]),
);

/** The instructions of a revision. */
export function opcodesOf(revision: Revision): readonly OpcodeInfo[] {
  return DEFINED.get(revision) as readonly OpcodeInfo[];
}

/** Selects the instructions of each revision that pass a test, computed once. */
export function selectOpcodes(
  test: (info: OpcodeInfo) => boolean,
): (revision: Revision) => readonly OpcodeInfo[] {
  const selected = new Map(REVISIONS.map((revision) => [revision, opcodesOf(revision).filter(test)]));
  return (revision) => selected.get(revision) as readonly OpcodeInfo[];
}
