import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex, hexToBytes } from '../../../../../packages/ethereum/primitives/hex.ts';
import { createPrecompiles } from '../../../../../packages/evm/interpreter/precompiles/precompiles.ts';
import { type Revision, rulesOf } from '../../../../../packages/evm/interpreter/revisions/revisions.ts';
import { createNodeCryptography } from '../../../../../src/engine/node-cryptography.ts';

type Vector = {
  readonly name: string;
  readonly address: number;
  /** Hex without prefix; spaces are for readability. */
  readonly input: string;
  /** Undefined where the precompile fails. */
  readonly output: string | undefined;
  readonly gas: number;
  readonly revision?: Revision;
};

const word = (value: number): string => value.toString(16).padStart(64, '0');
const parse = (text: string): Uint8Array => hexToBytes(`0x${text.replaceAll(' ', '')}`);

const BLAKE2_STATE =
  '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5' +
  'd182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b';
const BLAKE2_ABC = '616263'.padEnd(256, '0');
const BLAKE2_OFFSET = '03'.padEnd(32, '0');
const blake2 = (rounds: string, flag: string): string =>
  rounds + BLAKE2_STATE + BLAKE2_ABC + BLAKE2_OFFSET + flag;

const SECP256K1_FIELD_LESS_1 = 'fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2e';
const SECP256K1_FIELD = 'fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f';

const ECRECOVER_HASH = '18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c';
const ECRECOVER_R = '73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f';
const ECRECOVER_S = 'eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549';

const BN254_G1 = word(1) + word(2);
const BN254_G2 =
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2' +
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed' +
  '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b' +
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa';
const BN254_MINUS_G1 = `${word(1)}30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd45`;

const BLS_PADDING = '0'.repeat(32);
const BLS_G1_X =
  '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb';
const BLS_G1_Y =
  '08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1';
const BLS_G1 = BLS_PADDING + BLS_G1_X + BLS_PADDING + BLS_G1_Y;
const BLS_2_G1 =
  `${BLS_PADDING}0572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e` +
  `${BLS_PADDING}166a9d8cabc673a322fda673779d8e3822ba3ecb8670e461f73bb9021d5fd76a4c56d9d4cd16bd1bba86881979749d28`;

const VECTORS: readonly Vector[] = [
  {
    name: 'ecrecover: key of a signature',
    address: 1,
    input: `${ECRECOVER_HASH} ${word(28)} ${ECRECOVER_R} ${ECRECOVER_S}`,
    output: 'a94f5374fce5edbc8e2a8697c15331677e6ebf0b'.padStart(64, '0'),
    gas: 3000,
  },
  {
    name: 'ecrecover: 28 as another number than a word',
    address: 1,
    input: `${ECRECOVER_HASH} 01${word(28).slice(2)} ${ECRECOVER_R} ${ECRECOVER_S}`,
    output: '',
    gas: 3000,
  },
  {
    name: 'ecrecover: 0 is no parity here',
    address: 1,
    input: `${ECRECOVER_HASH} ${word(0)} ${ECRECOVER_R} ${ECRECOVER_S}`,
    output: '',
    gas: 3000,
  },
  { name: 'ecrecover: nothing', address: 1, input: '', output: '', gas: 3000 },
  {
    name: 'sha256 of nothing',
    address: 2,
    input: '',
    output: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    gas: 60,
  },
  {
    name: 'ripemd160 of nothing',
    address: 3,
    input: '',
    output: '9c1185a5c5e9fc54612808977ee8f548b2258d31'.padStart(64, '0'),
    gas: 600,
  },
  {
    name: 'identity of two words',
    address: 4,
    input: `${word(1)}ffff`,
    output: `${word(1)}ffff`,
    gas: 21,
  },
  {
    name: 'modexp: Fermat (EIP-198)',
    address: 5,
    revision: 'byzantium',
    input: `${word(1)} ${word(32)} ${word(32)} 03 ${SECP256K1_FIELD_LESS_1} ${SECP256K1_FIELD}`,
    output: word(1),
    gas: 13_056,
  },
  {
    name: 'modexp: Fermat (EIP-2565)',
    address: 5,
    revision: 'berlin',
    input: `${word(1)} ${word(32)} ${word(32)} 03 ${SECP256K1_FIELD_LESS_1} ${SECP256K1_FIELD}`,
    output: word(1),
    gas: 1360,
  },
  {
    name: 'modexp: Fermat (EIP-7883)',
    address: 5,
    input: `${word(1)} ${word(32)} ${word(32)} 03 ${SECP256K1_FIELD_LESS_1} ${SECP256K1_FIELD}`,
    output: word(1),
    gas: 4080,
  },
  {
    name: 'modexp: no base',
    address: 5,
    revision: 'byzantium',
    input: `${word(0)} ${word(32)} ${word(32)} ${SECP256K1_FIELD_LESS_1} ${SECP256K1_FIELD}`,
    output: word(0),
    gas: 13_056,
  },
  {
    name: 'modexp: modulus cut off counts as zeros that follow (EIP-198)',
    address: 5,
    revision: 'byzantium',
    input: `${word(1)} ${word(2)} ${word(32)} 03 ffff 80`,
    output: '3b01b01ac41f2d6e917c6d6a221ce793802469026d9ab7578fa2e79e4da6aaab',
    gas: 768,
  },
  {
    name: 'modexp: 0 to the power of 0',
    address: 5,
    input: `${word(0)}${word(0)}${word(1)}05`,
    output: '01',
    gas: 500,
  },
  {
    name: 'modexp: exponent of 1025 bytes (EIP-7823)',
    address: 5,
    input: `${word(0)} ${word(1025)} ${word(0)}`,
    output: undefined,
    gas: 254_208,
  },
  {
    name: 'modexp: exponent of 1025 bytes before EIP-7823',
    address: 5,
    revision: 'prague',
    input: `${word(0)} ${word(1025)} ${word(0)}`,
    output: '',
    gas: 200,
  },
  {
    name: 'bn254Add: a point and itself',
    address: 6,
    input: BN254_G1 + BN254_G1,
    output:
      '030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3' +
      '15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4',
    gas: 150,
  },
  { name: 'bn254Add: nothing is infinity', address: 6, input: '', output: word(0) + word(0), gas: 150 },
  { name: 'bn254Add: not on the curve', address: 6, input: word(1) + word(1), output: undefined, gas: 150 },
  {
    name: 'bn254Add: before Istanbul',
    address: 6,
    revision: 'byzantium',
    input: BN254_G1 + BN254_MINUS_G1,
    output: word(0) + word(0),
    gas: 500,
  },
  { name: 'bn254Multiply: by one', address: 7, input: BN254_G1 + word(1), output: BN254_G1, gas: 6000 },
  {
    name: 'bn254Multiply: by the group order',
    address: 7,
    revision: 'byzantium',
    input: `${BN254_G1}30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001`,
    output: word(0) + word(0),
    gas: 40_000,
  },
  { name: 'bn254Pairing: of nothing', address: 8, input: '', output: word(1), gas: 45_000 },
  { name: 'bn254Pairing: one pair', address: 8, input: BN254_G1 + BN254_G2, output: word(0), gas: 79_000 },
  {
    name: 'bn254Pairing: a pair and its inverse',
    address: 8,
    revision: 'byzantium',
    input: BN254_G1 + BN254_G2 + BN254_MINUS_G1 + BN254_G2,
    output: word(1),
    gas: 260_000,
  },
  { name: 'bn254Pairing: no whole pair', address: 8, input: BN254_G1, output: undefined, gas: 45_000 },
  { name: 'blake2f: nothing (EIP-152, 0)', address: 9, input: '', output: undefined, gas: 0 },
  { name: 'blake2f: a byte too few', address: 9, input: blake2('00000c', '01'), output: undefined, gas: 0 },
  {
    name: 'blake2f: a byte too many',
    address: 9,
    input: blake2('000000000c', '01'),
    output: undefined,
    gas: 0,
  },
  { name: 'blake2f: flag of 2', address: 9, input: blake2('0000000c', '02'), output: undefined, gas: 12 },
  {
    name: 'blake2f: no rounds (EIP-152, 4)',
    address: 9,
    input: blake2('00000000', '01'),
    output:
      '08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5' +
      'd282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b',
    gas: 0,
  },
  {
    name: 'blake2f: of abc (EIP-152, 5)',
    address: 9,
    input: blake2('0000000c', '01'),
    output:
      'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1' +
      '7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
    gas: 12,
  },
  {
    name: 'blake2f: not the last block (EIP-152, 6)',
    address: 9,
    input: blake2('0000000c', '00'),
    output:
      '75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d28752' +
      '98743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735',
    gas: 12,
  },
  {
    name: 'blake2f: one round (EIP-152, 7)',
    address: 9,
    input: blake2('00000001', '01'),
    output:
      'b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fb' +
      'a551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421',
    gas: 1,
  },
  { name: 'pointEvaluation: nothing', address: 10, input: '', output: undefined, gas: 50_000 },
  {
    name: 'bls12381G1Add: a point and itself',
    address: 11,
    input: BLS_G1 + BLS_G1,
    output: BLS_2_G1,
    gas: 375,
  },
  { name: 'bls12381G1Add: nothing', address: 11, input: '', output: undefined, gas: 375 },
  { name: 'bls12381G1Sum: of one', address: 12, input: BLS_G1 + word(2), output: BLS_2_G1, gas: 12_000 },
  {
    name: 'bls12381G1Sum: of two, discounted',
    address: 12,
    input: BLS_G1 + word(1) + BLS_G1 + word(1),
    output: BLS_2_G1,
    gas: 22_776,
  },
  { name: 'bls12381G1Sum: nothing', address: 12, input: '', output: undefined, gas: 0 },
  { name: 'bls12381Pairing: nothing', address: 15, input: '', output: undefined, gas: 37_700 },
  {
    name: 'bls12381Pairing: of points at infinity',
    address: 15,
    input: '0'.repeat(768),
    output: word(1),
    gas: 70_300,
  },
  { name: 'p256Verify: nothing', address: 256, input: '', output: '', gas: 6900 },
  {
    name: 'p256Verify: a signature (EIP-7951)',
    address: 256,
    input:
      '4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4d' +
      'a73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac' +
      '36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d60' +
      '4aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff3' +
      '7618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e',
    output: word(1),
    gas: 6900,
  },
];

const PRECOMPILES = createPrecompiles(createNodeCryptography());

for (const { name, address, input, output, gas, revision = 'osaka' } of VECTORS) {
  test(name, () => {
    const precompile = PRECOMPILES.of(rulesOf(revision)).get(address);
    assert.ok(precompile !== undefined);
    assert.equal(precompile.gas(parse(input)), gas);
    const actual = precompile.run(parse(input));
    assert.equal(actual === undefined ? undefined : bytesToHex(actual).slice(2), output);
  });
}
