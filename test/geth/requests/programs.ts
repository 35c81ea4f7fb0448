/** EVM code for calls: fragments that compute, read state, store, call and fail, in random order. */
import { OPCODES } from '../../../packages/evm/interpreter/opcodes.ts';
import type { ChainFacts } from './chain-facts.ts';
import type { Random } from './random.ts';
import { address, addressAt, integer, precompileAddress } from './values.ts';

const CODES: ReadonlyMap<string, number> = new Map(OPCODES.map(({ name, code }) => [name, code]));
const ENVIRONMENT =
  'ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE COINBASE TIMESTAMP NUMBER PREVRANDAO GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBBASEFEE PC MSIZE GAS PUSH0 SLOTNUM'.split(
    ' ',
  );
const BINARY =
  'ADD MUL SUB DIV SDIV MOD SMOD EXP SIGNEXTEND LT GT SLT SGT EQ AND OR XOR BYTE SHL SHR SAR'.split(' ');
const UNARY =
  'ISZERO NOT BALANCE EXTCODESIZE EXTCODEHASH BLOCKHASH BLOBHASH SLOAD TLOAD CALLDATALOAD MLOAD CLZ'.split(
    ' ',
  );
const CALLS = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'];
const MAX_FRAGMENTS = 10;
/** A jump to the start of the code, or out of it: PUSH1 0, JUMP. */
export const LOOP = '600056';

function op(name: string): string {
  return (CODES.get(name) as number).toString(16).padStart(2, '0');
}

/** The shortest PUSH of a value, never PUSH0: code for forks before Shanghai has none. */
function push(value: bigint | number | string): string {
  const digits = BigInt(value).toString(16);
  const bytes = Math.max(1, Math.ceil(digits.length / 2));
  return (0x5f + bytes).toString(16) + digits.padStart(2 * bytes, '0');
}

/** Pushes an offset or size: small, or beyond any memory. */
function reach(random: Random): string {
  return random.oneIn(2)
    ? push(random.below(5000))
    : push(integer(random, 256) | (2n ** BigInt(34 + random.below(40))));
}

function word(random: Random): string {
  return push(integer(random, 256));
}

/** Stores the top of the stack in memory, which the program's end returns. */
function keep(random: Random): string {
  return push(32 * random.below(6)) + op('MSTORE');
}

/** An instruction whose memory ranges may be out of reach; where it does not fail, the code ends. */
function reachOut(random: Random, facts: ChainFacts): string {
  const ranges = (count: number): string => random.list(count, () => reach(random)).join('');
  const topics = random.below(5);
  return random.call(
    () => ranges(2) + op('KECCAK256'),
    () => word(random).repeat(topics) + ranges(2) + op(`LOG${topics}`),
    () => ranges(3) + op(random.pick(['CALLDATACOPY', 'CODECOPY', 'RETURNDATACOPY', 'MCOPY'])),
    () => ranges(3) + push(address(random, facts)) + op('EXTCODECOPY'),
    () => push(0) + ranges(2) + push(0) + op(random.pick(['CREATE', 'CREATE2'])),
    () => {
      const kind = random.pick(CALLS);
      const value = kind === 'CALL' || kind === 'CALLCODE' ? push(random.below(2)) : '';
      return ranges(4) + value + push(address(random, facts)) + word(random) + op(kind);
    },
  );
}

function callOut(random: Random, facts: ChainFacts): string {
  const kind = random.pick(CALLS);
  const target = random.call(
    () => precompileAddress(random),
    () => address(random, facts),
    () => address(random, facts),
    () => addressAt(0x9e30 + random.below(3)),
  );
  const gas = random.call(
    () => op('GAS'),
    () => push(random.below(100_000)),
    () => word(random),
  );
  const value = kind === 'CALL' || kind === 'CALLCODE' ? push(random.oneIn(3) ? 1 : 0) : '';
  const sizes = push(32 * random.below(3)) + push(0) + push(random.below(260)) + push(0);
  return sizes + value + push(target) + gas + op(kind) + keep(random);
}

/** DUPN, SWAPN or EXCHANGE over existing words, or with an immediate that is invalid or reaches too deep. */
function reorder(random: Random): string {
  const words = Array.from({ length: 24 }, (_, i) => push(i + 1)).join('');
  const immediate = random.oneIn(2) ? random.pick(['80', '81', '87', '9d', '8e', '2f', '8f']) : random.hex(2);
  return words + op(random.pick(['DUPN', 'SWAPN', 'EXCHANGE'])) + immediate + keep(random);
}

/** CREATE or CREATE2 of code in memory. */
function createInside(random: Random): string {
  const inner = random.pick([
    `${push(0)}${push(0)}${op('RETURN')}`,
    `${push(1)}${push(0)}${op('RETURN')}`,
    op('INVALID'),
    `${push(0xef)}${push(0)}${op('MSTORE8')}${push(1)}${push(0)}${op('RETURN')}`,
    `${push(24_577)}${push(0)}${op('RETURN')}`,
    `${push(0)}${push(0)}${op('REVERT')}`,
  ]);
  const size = inner.length / 2;
  const prepared = push(`0x${inner.padEnd(64, '0')}`) + push(0) + op('MSTORE');
  const salted = random.oneIn(2);
  return `${prepared}${salted ? push(random.below(3)) : ''}${push(size)}${push(0)}${push(0)}${op(salted ? 'CREATE2' : 'CREATE')}${keep(random)}`;
}

/** An ending that fails in one of many ways. */
function fail(random: Random, facts: ChainFacts): string {
  return random.call(
    () => op('INVALID'),
    () => (0x0c + random.below(4)).toString(16).padStart(2, '0'),
    () => op('POP').repeat(1 + random.below(3)),
    () => op('ADD'),
    () => push(random.below(300)) + op('JUMP'),
    () => push(2 ** 31) + push(0) + op('RETURN'),
    () => reach(random) + reach(random) + op('RETURN'),
    () => reach(random) + reach(random) + op('REVERT'),
    () => push(32) + reach(random) + op('MSTORE'),
    () => reachOut(random, facts),
    () => reachOut(random, facts) + push(0) + push(0) + op(random.pick(['LOG0', 'CREATE', 'SSTORE'])),
    () => push(33) + push(0) + push(0) + op('RETURNDATACOPY'),
    () => op('JUMPDEST').repeat(3) + LOOP,
    () => op('JUMPDEST') + op('CALLER') + LOOP,
    () => `${random.hex(2 * (1 + random.below(6)))}`,
    () =>
      random.pick(['5f', '5c', '5e', '48', '49', '4a', '1e', '46', '3f', 'f5', 'fa', 'fd', '3d', 'f4', '1b']),
  );
}

/** Amsterdam's additions: the slot number, instructions with immediates, and refunded state gas. */
function amsterdamFragment(random: Random, facts: ChainFacts): string {
  const slot = push(100 + random.below(4));
  const store = (value: number): string => push(value) + slot + op('SSTORE');
  const stranger = `73f4e5${'00'.repeat(17)}${random.hex(2)}`;
  return random.call(
    () => op('SLOTNUM') + keep(random),
    () => store(random.below(2)) + store(random.below(2)) + op('GAS') + keep(random),
    () => push(0).repeat(4) + push(1) + stranger + push(random.below(9000)) + op('CALL') + keep(random),
    () => push(0).repeat(4) + push(1) + push(address(random, facts)) + op('GAS') + op('CALL') + keep(random),
    () =>
      push(7).repeat(40) +
      op('PC').repeat(3) +
      random.pick(['e680', 'e690', 'e780', 'e89d', 'e82f', 'e65b', `e6${random.hex(2)}`]) +
      keep(random),
  );
}

function fragment(random: Random, facts: ChainFacts): string {
  if (facts.isAmsterdam && random.oneIn(4)) return amsterdamFragment(random, facts);
  return random.call(
    () => op(random.pick(ENVIRONMENT)) + keep(random),
    () => op(random.pick(ENVIRONMENT)) + keep(random),
    () => word(random) + word(random) + op(random.pick(BINARY)) + keep(random),
    () =>
      (random.oneIn(2) ? push(address(random, facts)) : word(random)) + op(random.pick(UNARY)) + keep(random),
    () => word(random) + push(random.below(4)) + op('SSTORE'),
    () => push(random.below(4)) + op('SLOAD') + keep(random),
    () => word(random) + push(random.below(4)) + op('TSTORE'),
    () => push(random.below(100)) + push(random.below(40)) + op('KECCAK256') + keep(random),
    () => push(random.below(40)) + push(0) + op(`LOG${random.below(1)}`),
    () => push(random.below(99)) + push(random.below(9)) + push(random.below(9)) + op('CALLDATACOPY'),
    () => push(random.below(99)) + push(random.below(9)) + push(random.below(9)) + op('CODECOPY'),
    () => push(random.below(99)) + push(random.below(9)) + push(random.below(9)) + op('MCOPY'),
    () => callOut(random, facts),
    () => callOut(random, facts),
    () => createInside(random),
    () => reorder(random),
    () => push(address(random, facts)) + push(0) + op('POP') + op('BALANCE') + keep(random),
  );
}

/** Code as hex digits: it returns its memory, reverts, stops, destroys itself or fails. */
export function program(random: Random, facts: ChainFacts): string {
  const body = random.list(random.below(MAX_FRAGMENTS), () => fragment(random, facts)).join('');
  const end = random.call(
    () => push(192) + push(0) + op('RETURN'),
    () => push(192) + push(0) + op('RETURN'),
    () => push(192) + push(0) + op('RETURN'),
    () => push(random.below(100)) + push(0) + op('REVERT'),
    () => op('STOP'),
    () => push(address(random, facts)) + op('SELFDESTRUCT'),
    () => fail(random, facts),
    () => fail(random, facts),
  );
  return body + end;
}

/** Init code: a program, or a program whose return data becomes code. */
export function initCode(random: Random, facts: ChainFacts): string {
  return random.call(
    () => program(random, facts),
    () => deployedBytes(random.pick([0, 1, 100, 3000, 24_576, 24_577, 50_000, 65_536, 65_537])),
    () => `60ef60005360016000f3`,
    () => op('STOP').repeat(random.pick([0, 1, 49_152, 49_153, 131_072, 131_073])),
  );
}

/** Returns `size` zeros: the deployed code. */
function deployedBytes(size: number): string {
  return push(size) + push(0) + op('RETURN');
}
