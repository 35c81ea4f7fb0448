/** Calls that compute in the engine for as long as their gas lasts. */
import type { Abuse } from '../abuse.ts';
import { type BodyAbuse, bodyAbuse, encodeCall, nextNumber, PRAGUE, ROLLUP } from './body-abuse.ts';
import { callPrecompile, recurseWithMemory, repeat } from './programs.ts';

const family = 'heavy calls';
const ADDRESS = `0x${'22'.repeat(20)}`;
const bytes = (hex: string): Uint8Array => Buffer.from(hex.replace(/\s/g, ''), 'hex');

/** Generators of the groups of bn254; G2 in the encoding of EIP-197, imaginary part first. */
const BN254_PAIR = bytes(`
  0000000000000000000000000000000000000000000000000000000000000001
  0000000000000000000000000000000000000000000000000000000000000002
  198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2
  1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed
  090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b
  12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa`);

const BLS_G1 = `
  00000000000000000000000000000000
  17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb
  00000000000000000000000000000000
  08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1`;
const BLS_G2 = `
  00000000000000000000000000000000
  024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8
  00000000000000000000000000000000
  13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e
  00000000000000000000000000000000
  0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801
  00000000000000000000000000000000
  0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be`;
const SCALAR = '73eda753299d7d483339d80809a1d80553bda402fffe5bfefffffffefffffffe';

const BLAKE2F_ROUNDS = 280_000_000;
const BLAKE2F_INPUT = Buffer.concat([
  bytes(BLAKE2F_ROUNDS.toString(16).padStart(8, '0')),
  Buffer.alloc(208),
  Buffer.of(1),
]);

/** Writes the lengths of base, exponent (32) and modulus, bytes, at the beginning of a memory of ones. */
const modexpHead = (length: number): string => `${length} 0 MSTORE 32 32 MSTORE ${length} 64 MSTORE`;
const ONES = new Uint8Array(32).fill(0xff);

const init = (data: string) => (): Uint8Array => encodeCall('eth_call', [{ data }, 'latest']);
const direct = (address: number, data: Uint8Array) => (): Uint8Array =>
  encodeCall('eth_call', [
    { to: `0x${address.toString(16).padStart(40, '0')}`, data: `0x${Buffer.from(data).toString('hex')}` },
    'latest',
  ]);

type Row = Omit<BodyAbuse, 'family'>;
/** Expands memory to 4 MiB first. */
const FOUR_MIB = '1 0x3fffe0 MSTORE';

const ROWS: readonly Row[] = [
  { name: 'BLAKE2F with 280 million rounds', isShort: true, makeBody: () => direct(0x09, BLAKE2F_INPUT)() },
  {
    name: 'BLAKE2F with 280 million rounds, WebSocket',
    transport: 'WebSocket',
    makeBody: () => direct(0x09, BLAKE2F_INPUT)(),
  },
  { name: 'bn254 pairings of 8,192 pairs', makeBody: init(callPrecompile(0x08, BN254_PAIR, 13)) },
  {
    name: 'BLS12-381 pairings of 8,192 pairs',
    makeBody: init(callPrecompile(0x0f, bytes(BLS_G1 + BLS_G2), 13)),
  },
  {
    name: 'BLS12-381 G1 MSM of 32,768 points',
    makeBody: init(callPrecompile(0x0c, bytes(BLS_G1 + SCALAR), 15)),
  },
  {
    name: 'BLS12-381 G2 MSM of 8,192 points',
    makeBody: init(callPrecompile(0x0e, bytes(BLS_G2 + SCALAR), 13)),
  },
  {
    name: 'modexp of 20,000 bytes at the price of Prague',
    makeBody: init(callPrecompile(0x05, ONES, 11, { head: modexpHead(20_000) })),
  },
  {
    name: 'modexp of 1,024 bytes, again and again',
    makeBody: init(callPrecompile(0x05, ONES, 7, { head: modexpHead(1_024) })),
  },
  { name: 'SHA-256 of 4 MiB', makeBody: init(callPrecompile(0x02, ONES, 17)) },
  { name: 'RIPEMD-160 of 2 MiB', makeBody: init(callPrecompile(0x03, ONES, 16)) },
  { name: 'identity of 4 MiB', makeBody: init(callPrecompile(0x04, ONES, 17)) },
  { name: 'Keccak-256 of 4 MiB', makeBody: init(repeat('0x400000 0 SHA3 POP', FOUR_MIB)) },
  { name: 'MCOPY of 4 MiB', makeBody: init(repeat('0x200000 0 0x200000 MCOPY', FOUR_MIB)) },
  {
    name: 'CODECOPY and CALLDATACOPY of 4 MiB',
    makeBody: init(repeat('0x400000 0 0 CODECOPY 0x400000 0 0 CALLDATACOPY', FOUR_MIB)),
  },
  { name: 'logs of 1 MiB', makeBody: init(repeat('0x100000 0 LOG0')) },
  { name: 'EXP of full width', makeBody: init(repeat('0 NOT DUP1 EXP POP')) },
  {
    name: 'creations with 48 KB of init code',
    makeBody: init(repeat('49152 0 0 CREATE POP', '0 0xbfe0 MSTORE')),
  },
  {
    name: 'balances of accounts that do not exist',
    makeBody: init(repeat('1 ADD DUP1 BALANCE POP', '0xffff00000000')),
  },
  { name: 'storage that was never written', makeBody: init(repeat('1 ADD DUP1 SLOAD POP', '0')) },
  {
    name: 'loops until gas is out, each of another code',
    connections: 32,
    makeBody: () => () => init(repeat('', `${nextNumber()} POP`))(),
  },
  {
    name: 'loops of another code, WebSocket',
    transport: 'WebSocket',
    connections: 16,
    makeBody: () => () => init(repeat('', `${nextNumber()} POP`))(),
  },
  {
    name: 'loops of another code, rated key',
    key: 'rated',
    makeBody: () => () => init(repeat('', `${nextNumber()} POP`))(),
  },
  {
    name: 'calls of 2 ms, each of another code',
    connections: 16,
    makeBody: () => () =>
      encodeCall('eth_call', [{ data: repeat('', `${nextNumber()} POP`), gas: '0xf4240' }, 'latest']),
  },
  {
    name: 'estimates of heavy calls',
    connections: 16,
    makeBody: () => () => encodeCall('eth_estimateGas', [{ data: repeat('', `${nextNumber()} POP`) }]),
  },
  {
    name: 'rollup estimates of heavy calls',
    host: ROLLUP,
    makeBody: () => () => encodeCall('linea_estimateGas', [{ data: repeat('', `${nextNumber()} POP`) }]),
  },
  {
    name: 'memory in every frame of a deep recursion',
    connections: 16,
    makeBody: () =>
      encodeCall('eth_call', [
        { to: ADDRESS },
        'latest',
        { [ADDRESS]: { code: recurseWithMemory(1_500_000) } },
      ]),
  },
];

export const HEAVY_CALLS: readonly Abuse[] = ROWS.map((row) =>
  bodyAbuse({ host: PRAGUE, charge: 'calls', ...row, family }),
);
