/** Input for the precompiles 0x01 to 0x11 and 0x100: mostly well-formed, sometimes slightly malformed. */
import { p256 } from '@noble/curves/nist.js';
import { bigIntToFixedBytes, concatBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { sha256 } from '../../../packages/ethereum/primitives/sha256.ts';
import { signHash } from '../../../scripts/chains/secp256k1.ts';
import type { Random } from '../random.ts';
import { randomWord } from './words.ts';

const KEY = new Uint8Array(32).fill(7);
const HASH = keccak256(KEY);
const word = (value: bigint): Uint8Array => bigIntToFixedBytes(value, 32);

function recoverInput(): Uint8Array {
  const { r, s, yParity } = signHash(HASH, KEY);
  return concatBytes(HASH, word(27n + BigInt(yParity)), word(r), word(s));
}

function p256Input(): Uint8Array {
  const signature = p256.sign(HASH, KEY, { prehash: false, format: 'compact' });
  return concatBytes(HASH, signature, p256.getPublicKey(KEY, false).subarray(1));
}

const RECOVER = recoverInput();
const P256 = p256Input();

/** EIP-4844: the zero polynomial is 0 everywhere, and its commitment and proof are the point at infinity. */
function pointEvaluationInput(random: Random): Uint8Array {
  const infinity = new Uint8Array(48);
  infinity[0] = 0xc0;
  const versionedHash = sha256(infinity);
  versionedHash[0] = 1;
  return concatBytes(versionedHash, word(BigInt(random.below(1000))), word(0n), infinity, infinity);
}

const BN_FIELD = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
const BN_G1 = concatBytes(word(1n), word(2n));
const BN_G1_NEGATED = concatBytes(word(1n), word(BN_FIELD - 2n));
const BN_G2 = concatBytes(
  word(11559732032986387107991004021392285783925812861821192530917403151452391805634n),
  word(10857046999023057135944570762232829481370756359578518086990519993285655852781n),
  word(4082367875863433681332203403145435568316851327593401208105741076214120093531n),
  word(8495653923123431417604973247489272438418190587263600148770280649306958101930n),
);

function bn254Point(random: Random): Uint8Array {
  return random.pick([BN_G1, BN_G1_NEGATED, new Uint8Array(64), concatBytes(word(1n), word(3n))]);
}

function bn254Pairs(random: Random): Uint8Array {
  if (random.oneIn(2)) return new Uint8Array(0);
  const matching = concatBytes(BN_G1, BN_G2, BN_G1_NEGATED, BN_G2);
  return random.oneIn(4) ? matching : random.bytes(random.pick([191, 192, 193]));
}

/** EIP-2537: field elements are 64 bytes, the upper 16 of them zero. */
const blsField = (hex: string): Uint8Array => bigIntToFixedBytes(BigInt(`0x${hex}`), 64);
const BLS_G1 = concatBytes(
  blsField(
    '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  ),
  blsField(
    '08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1',
  ),
);
const BLS_G2_INFINITY = new Uint8Array(256);

function blsG1(random: Random): Uint8Array {
  return random.pick([BLS_G1, BLS_G1, new Uint8Array(128), random.bytes(128)]);
}

function modexpInput(random: Random): Uint8Array {
  const lengths = Array.from({ length: 3 }, () => random.pick([0, 1, 2, 31, 32, 33, 40, 64]));
  const body = random.bytes(lengths.reduce((sum, length) => sum + length, 0));
  if (random.oneIn(3)) body.fill(0, 0, random.below(body.length + 1));
  const claimed = lengths.map((length) => word(random.oneIn(25) ? randomWord(random) : BigInt(length)));
  return concatBytes(...claimed, body);
}

function blake2Input(random: Random): Uint8Array {
  const input = random.bytes(213);
  input.set([0, 0, 0, random.below(20)]);
  input[212] = random.oneIn(10) ? 2 : random.below(2);
  return input;
}

type InputMaker = (random: Random) => Uint8Array;

/** Slow precompiles have small weights: a pairing costs the oracle as much as thousands of instructions. */
const PRECOMPILES: readonly (readonly [weight: number, choice: readonly [bigint, InputMaker]])[] = [
  [20, [1n, () => RECOVER]],
  [30, [2n, (random) => random.bytes(random.below(100))]],
  [30, [3n, (random) => random.bytes(random.below(100))]],
  [40, [4n, (random) => random.bytes(random.below(100))]],
  [60, [5n, modexpInput]],
  [20, [6n, (random) => concatBytes(bn254Point(random), bn254Point(random))]],
  [10, [7n, (random) => concatBytes(bn254Point(random), word(randomWord(random)))]],
  [3, [8n, bn254Pairs]],
  [30, [9n, blake2Input]],
  [1, [0x0an, pointEvaluationInput]],
  [10, [0x0bn, (random) => concatBytes(blsG1(random), blsG1(random))]],
  [3, [0x0cn, (random) => concatBytes(blsG1(random), word(randomWord(random)))]],
  [5, [0x0dn, () => concatBytes(BLS_G2_INFINITY, BLS_G2_INFINITY)]],
  [2, [0x0en, (random) => concatBytes(BLS_G2_INFINITY, word(randomWord(random)))]],
  [2, [0x0fn, (random) => concatBytes(blsG1(random), BLS_G2_INFINITY)]],
  [2, [0x10n, (random) => blsField(BigInt(random.next()).toString(16))]],
  [1, [0x11n, (random) => concatBytes(blsField('1'), blsField(BigInt(random.next()).toString(16)))]],
  [5, [0x100n, () => P256]],
];

export const PRECOMPILE_ADDRESSES: readonly bigint[] = PRECOMPILES.map(([, [address]]) => address);

/** Changes, removes or adds a byte. */
function spoil(random: Random, input: Uint8Array): Uint8Array {
  switch (random.below(3)) {
    case 0:
      return input.subarray(0, random.below(input.length + 1));
    case 1:
      return concatBytes(input, random.bytes(random.between(1, 33)));
    default: {
      const changed = input.slice();
      if (changed.length > 0) changed[random.below(changed.length)] = random.below(256);
      return changed;
    }
  }
}

export function randomPrecompileCall(random: Random): { address: bigint; input: Uint8Array } {
  const [address, make] = random.pickWeighted(PRECOMPILES);
  const input = make(random);
  return { address, input: random.oneIn(4) ? spoil(random, input) : input };
}
