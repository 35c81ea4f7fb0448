/**
 * The longest piece of work between two pauses of an execution, for programs whose single steps are as long as their gas allows. `GAS` is the gas of
 * a call (ten times a block's limit by default), `ONLY` a part of a program's name. A program that has not ended after `LIMIT_MS` is aborted; the
 * time that aborting takes is a piece too. Pieces are measured in processor time, so that other load on the machine counts little; of three runs the
 * one with the shortest longest piece counts.
 */
import { createHash } from 'node:crypto';
import { bytesToHex } from '../packages/ethereum/primitives/hex.ts';
import type { Revision } from '../packages/evm/interpreter/revisions/revisions.ts';
import { assemble } from '../scripts/assembler.ts';
import type { StateOverrides } from '../src/chain/requests.ts';
import { executeJob } from '../src/chains/embedded/execution/execute-job.ts';
import { StoredChain } from '../src/chains/embedded/simulation/simulated-chain.ts';
import { Simulator } from '../src/chains/embedded/simulation/simulator.ts';
import { openChainReader } from '../src/chains/embedded/store/chain-reader.ts';
import { buildCallChain, PROGRAM } from '../test/chains/embedded/call-harness.ts';
import { openBuiltChain } from '../test/support/test-chain.ts';
import { formatColumns } from './support/figures.ts';

const GAS = BigInt(process.env['GAS'] ?? 450_000_000);
const LIMIT_MS = Number(process.env['LIMIT_MS'] ?? 5_000);
const ONLY = process.env['ONLY'] ?? '';
const MiB = 1 << 20;

type Workload = {
  readonly name: string;
  readonly revision?: Revision;
  /** Assembly at the called address; undefined for a creation from `data`. */
  readonly source: string | undefined;
  readonly data?: Uint8Array;
  readonly overrides?: StateOverrides;
  readonly accessList?: readonly { address: string; storageKeys: string[] }[];
};

const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0');
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Returns assembly that fills `size` bytes of memory with copies of the first `unit` bytes of calldata. */
function repeatCalldata(unit: number, size: number): string {
  let source = `${unit} 0 0 CALLDATACOPY\n`;
  for (let filled = unit; filled < size; filled *= 2)
    source += `${Math.min(filled, size - filled)} 0 ${filled} MCOPY\n`;
  return source;
}

const callOnce = (address: number, input: number): string =>
  `32 0 ${input} 0 ${address} GAS STATICCALL POP STOP`;
const callAgain = (address: number, input: number): string =>
  `loop: 0 0 ${input} 0 ${address} GAS STATICCALL POP @loop JUMP`;

const BN254_PAIR = bytes(
  word(1) +
    word(2) +
    '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2' +
    '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed' +
    '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b' +
    '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
);
const pad = (hex: string): string => hex.padStart(128, '0');
const BLS_G1 =
  pad('17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb') +
  pad('08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1');
const BLS_G2 =
  pad('024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8') +
  pad('13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e') +
  pad('0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801') +
  pad('0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be');
/** KZG commitment of the polynomial X, which is tau; its quotient by X - z is 1. */
const TAU =
  'ad3eb50121139aa34db1d545093ac9374ab7bca2c0f3bf28e27c8dcd8fc7cb42d25926fc0c97b336e9f0fb35e5a04c81';
const GENERATOR =
  '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb';
const KZG_HASH = `01${createHash('sha256').update(bytes(TAU)).digest('hex').slice(2)}`;
const SCALAR = 'f3'.repeat(32);

/** Encodes header and operands of modexp, every bit of each operand set. */
function modexpInput(base: number, exponent: number, modulus: number): Uint8Array {
  const input = new Uint8Array(96 + base + exponent + modulus).fill(0xff);
  input.set(bytes(word(base) + word(exponent) + word(modulus)));
  return input;
}

/** Encodes blake2f input with `rounds` rounds, so that one call takes all gas; state and message are zero. */
function blakeInput(rounds: bigint): Uint8Array {
  const input = new Uint8Array(213);
  new DataView(input.buffer).setUint32(0, Number(rounds));
  return input;
}

function slots(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`0x${word(i)}`, `0x${word(i + 1)}`]));
}

const SELF_CALL_REVERT = (write: string): string => `
  CALLDATASIZE @inner JUMPI
  0 0 32 0 0 ADDRESS GAS CALL POP STOP
  inner: 0 loop: 1 ADD ${write} GAS 200000000 LT @loop JUMPI 0 0 REVERT`;

const MEMORY = 10 * MiB;
const WORKLOADS: readonly Workload[] = [
  {
    name: 'BLAKE2F, one call',
    source: `${repeatCalldata(213, 213)} ${callOnce(9, 213)}`,
    data: blakeInput((GAS * 9n) / 10n),
  },
  {
    name: 'BN254 pairing, 8,000 pairs',
    source: repeatCalldata(192, 8_000 * 192) + callOnce(8, 8_000 * 192),
    data: BN254_PAIR,
  },
  {
    name: 'BN254 pairing, 1 pair, repeated',
    source: repeatCalldata(192, 192) + callAgain(8, 192),
    data: BN254_PAIR,
  },
  {
    name: 'BN254 multiplication, repeated',
    source: `${repeatCalldata(96, 96)} ${callAgain(7, 96)}`,
    data: bytes(word(1) + word(2) + SCALAR),
  },
  {
    name: 'BLS12-381 G1 sum, 10,000',
    source: repeatCalldata(160, 10_000 * 160) + callOnce(12, 10_000 * 160),
    data: bytes(BLS_G1 + SCALAR),
  },
  {
    name: 'BLS12-381 G2 sum, 10,000',
    source: repeatCalldata(288, 10_000 * 288) + callOnce(14, 10_000 * 288),
    data: bytes(BLS_G2 + SCALAR),
  },
  {
    name: 'BLS12-381 pairing, 8,000 pairs',
    source: repeatCalldata(384, 8_000 * 384) + callOnce(15, 8_000 * 384),
    data: bytes(BLS_G1 + BLS_G2),
  },
  {
    name: 'BLS12-381 pairing, 1 pair, repeated',
    source: repeatCalldata(384, 384) + callAgain(15, 384),
    data: bytes(BLS_G1 + BLS_G2),
  },
  {
    name: 'BLS12-381 map to G2, repeated',
    source: repeatCalldata(128, 128) + callAgain(17, 128),
    data: bytes(pad('12') + pad('34')),
  },
  {
    name: 'BLS12-381 map to G1, repeated',
    source: repeatCalldata(64, 64) + callAgain(16, 64),
    data: bytes(pad('12')),
  },
  {
    name: 'modexp, 1 kB operands',
    source: `CALLDATASIZE 0 0 CALLDATACOPY ${callOnce(5, 96 + 3_072)}`,
    data: modexpInput(1_024, 1_024, 1_024),
  },
  {
    name: 'modexp, 8 kB operands',
    source: `CALLDATASIZE 0 0 CALLDATACOPY ${callOnce(5, 96 + 16_384 + 150)}`,
    data: modexpInput(8_192, 150, 8_192),
  },
  {
    name: 'modexp, 64 kB operands',
    source: `CALLDATASIZE 0 0 CALLDATACOPY ${callOnce(5, 96 + 131_072 + 2)}`,
    data: modexpInput(65_536, 2, 65_536),
  },
  {
    name: 'modexp, 250 kB operands',
    source: `CALLDATASIZE 0 0 CALLDATACOPY ${callOnce(5, 96 + 500_000 + 1)}`,
    data: modexpInput(250_000, 1, 250_000).fill(1, 96 + 250_000, 96 + 250_001),
  },
  {
    name: 'modexp, small modulus, long exponent',
    source: `1 0 MSTORE ${MEMORY} 32 MSTORE 3 64 MSTORE 1 96 MSTORE8 255 97 MSTORE8 0x777777 ${MEMORY + 68} MSTORE ${callOnce(5, 100 + MEMORY)}`,
  },
  { name: 'SHA-256 of 10 MiB', source: `1 ${MEMORY} MSTORE ${callOnce(2, MEMORY)}` },
  { name: 'RIPEMD-160 of 10 MiB', source: `1 ${MEMORY} MSTORE ${callOnce(3, MEMORY)}` },
  { name: 'identity of 10 MiB', source: `1 ${MEMORY} MSTORE ${callAgain(4, MEMORY)}` },
  { name: 'KECCAK256 of 10 MiB', source: `${MEMORY} 0 SHA3 POP STOP` },
  { name: 'MCOPY of 10 MiB', source: `1 ${MEMORY} MSTORE loop: ${MEMORY - 64} 0 32 MCOPY @loop JUMP` },
  {
    name: 'CALLDATACOPY of 10 MiB',
    source: `1 ${MEMORY} MSTORE loop: ${MEMORY} 0 0 CALLDATACOPY @loop JUMP`,
    data: new Uint8Array(1_000_000),
  },
  { name: 'memory expansion in one step', source: `1 ${MEMORY} MSTORE STOP` },
  {
    name: 'memory of frame after frame',
    source:
      'CALLDATASIZE @inner JUMPI loop: 0 0 32 0 0 ADDRESS 110000000 CALL POP @loop JUMP inner: 1 6900000 MSTORE STOP',
  },
  { name: 'LOG0 of megabytes', source: `1 ${7 * MiB} MSTORE loop: ${7 * MiB} 0 LOG0 @loop JUMP` },
  { name: 'RETURN of 10 MiB', source: `${MEMORY} 0 RETURN` },
  { name: 'EXP of 32 bytes', source: '0 NOT loop: DUP1 DUP1 EXP POP @loop JUMP' },
  { name: 'CREATE2 of 48 kB', source: `0 loop: 1 ADD DUP1 49152 0 0 CREATE2 POP @loop JUMP` },
  {
    name: 'CREATE of 4 MB before EIP-3860',
    revision: 'london',
    source: `0x5b ${4 << 20} MSTORE8 loop: 4194304 0 0 CREATE POP @loop JUMP`,
  },
  {
    name: 'a creation from 2 MB before EIP-3860',
    revision: 'london',
    source: undefined,
    data: new Uint8Array(2_000_000).fill(0x5b),
  },
  {
    name: 'a call to 1.5 MB of overridden code',
    source: '0 0 0 0 0 0xbb GAS CALL STOP',
    overrides: { [`0x${'bb'.padStart(40, '0')}`]: { code: `0x${'5b'.repeat(1_500_000)}` } },
  },
  { name: 'TSTORE and revert', source: SELF_CALL_REVERT('DUP1 DUP1 TSTORE') },
  { name: 'TSTORE of one slot and revert', source: SELF_CALL_REVERT('DUP1 0 TSTORE') },
  { name: 'TSTORE, given up', source: '0 loop: 1 ADD DUP1 DUP1 TSTORE @loop JUMP' },
  { name: 'SSTORE of new slots and revert', source: SELF_CALL_REVERT('DUP1 DUP1 SSTORE') },
  {
    name: 'SELFDESTRUCT in a loop',
    source:
      'CALLDATASIZE @inner JUMPI loop: 0 0 32 0 0 ADDRESS GAS CALL POP @loop JUMP inner: GAS SELFDESTRUCT',
  },
  { name: 'cold SLOAD', source: '0 loop: 1 ADD DUP1 SLOAD POP @loop JUMP' },
  { name: 'cold BALANCE', source: '0 loop: 1 ADD DUP1 BALANCE POP @loop JUMP' },
  {
    name: 'TSTORE of keys that collide without a seed',
    source: '0 loop: 1 ADD DUP1 DUP1 64 SHL DUP2 17 SHL OR TSTORE @loop JUMP',
  },
  {
    name: 'overrides of 100,000 slots',
    source: 'STOP',
    overrides: { [`0x${'bb'.padStart(40, '0')}`]: { stateDiff: slots(100_000) } },
  },
  {
    name: 'an access list of 100,000 keys',
    source: 'STOP',
    accessList: [{ address: PROGRAM, storageKeys: Object.keys(slots(100_000)) }],
  },
  { name: '2.5 MB of calldata', source: 'STOP', data: new Uint8Array(2_500_000) },
  {
    name: 'code of 1.5 MB in an override',
    source: 'STOP',
    overrides: { [`0x${'bb'.padStart(40, '0')}`]: { code: `0x${'5b'.repeat(1_500_000)}` } },
  },
  {
    name: 'ecrecover, repeated',
    source: `${repeatCalldata(128, 128)} ${callAgain(1, 128)}`,
    data: bytes(`${word(5)}${word(27)}${word(7)}${word(9)}`),
  },
  {
    name: 'P-256, repeated',
    revision: 'osaka',
    source: `${repeatCalldata(160, 160)} ${callAgain(256, 160)}`,
    data: bytes(
      '4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4da73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d604aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff37618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e',
    ),
  },
  {
    name: 'KZG, repeated',
    source: `${repeatCalldata(192, 192)} ${callAgain(10, 192)}`,
    data: bytes(KZG_HASH + word(5) + word(5) + TAU + GENERATOR),
  },
];

type Figures = {
  readonly longest: number;
  readonly total: number;
  readonly pieces: number;
  readonly outcome: string;
};

function run(simulator: Simulator, store: string, blockNumber: bigint, workload: Workload): Figures {
  const { source, data, overrides, accessList } = workload;
  const code = source === undefined ? undefined : bytesToHex(assemble(source));
  const execution = executeJob(simulator, {
    kind: 'call',
    store,
    gasLimit: GAS,
    request: {
      blockNumber,
      isPending: false,
      call: {
        ...(code !== undefined && { to: PROGRAM }),
        ...(data !== undefined && { data: bytesToHex(data) }),
        ...(accessList !== undefined && { accessList }),
      },
      stateOverrides: { ...(code !== undefined && { [PROGRAM]: { code } }), ...overrides },
    },
  });
  const begunAt = performance.now();
  let [longest, pieces, outcome] = [0, 0, 'done'];
  const measure = <T>(work: () => T): T => {
    const before = process.cpuUsage();
    try {
      return work();
    } finally {
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
      pieces++;
    }
  };
  try {
    while (!measure(() => execution.next()).done) {
      if (performance.now() - begunAt < LIMIT_MS) continue;
      outcome = 'given up';
      let step = measure(() => execution.return(''));
      while (!step.done) step = measure(() => execution.next());
    }
  } catch (error) {
    outcome = (error as Error).message;
  }
  return { longest, total: performance.now() - begunAt, pieces, outcome };
}

const rows = [['work', 'longest piece, ms', 'all, ms', 'pieces', 'outcome']];
for (const revision of ['prague', 'london', 'osaka'] as const) {
  const workloads = WORKLOADS.filter(
    (workload) => (workload.revision ?? 'prague') === revision && workload.name.includes(ONLY),
  );
  if (workloads.length === 0) continue;
  const [genesis, builder] = await buildCallChain({ revision });
  const opened = await openBuiltChain(genesis, builder);
  const reader = openChainReader(opened.store);
  const simulator = new Simulator(new StoredChain(reader));
  for (const workload of workloads) {
    const runs = [1, 2, 3].map(() => run(simulator, opened.store, reader.head.header.number, workload));
    // Other load on the machine makes a piece longer, never shorter.
    const longest = Math.min(...runs.map((figures) => figures.longest));
    const { total, pieces, outcome } = runs[1] as Figures;
    rows.push([workload.name, longest.toFixed(2), total.toFixed(0), String(pieces), outcome.slice(0, 60)]);
    console.error(rows.at(-1)?.join('  '));
  }
  await reader.close();
  await opened.close();
}
console.log(formatColumns(rows));
