/** Reasons for which precompiles refuse their input, with geth's messages (core/vm/contracts.go). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPrecompiles } from '../../../../../packages/evm/interpreter/precompiles/precompiles.ts';
import { finishSteps } from '../../../../../packages/evm/interpreter/precompiles/steps.ts';
import { rulesOf } from '../../../../../packages/evm/interpreter/revisions/revisions.ts';
import { createNodeCryptography } from '../../../../../src/engine/node-cryptography.ts';
import { VALID_INPUTS } from './inputs.ts';

const OSAKA = createPrecompiles(createNodeCryptography()).of(rulesOf('osaka'));
const [MODEXP, ADD, MULTIPLY, PAIRING, BLAKE2F, KZG, G1_ADD, G1_SUM, G2_ADD] = [
  5, 6, 7, 8, 9, 10, 11, 12, 13,
] as const;
const [BLS_PAIRING, MAP_G1] = [15, 16] as const;
const KZG_PROBLEM = 'error verifying kzg proof: ';
const ENCODING = 'invalid fp.Element encoding';

/** A valid input with some bytes set. */
function changed(address: number, changes: Readonly<Record<number, number>>, length?: number): Uint8Array {
  const input = (VALID_INPUTS.get(address) as Uint8Array).slice(0, length);
  for (const [at, byte] of Object.entries(changes)) input[Number(at)] = byte;
  return input;
}

function filled(length: number, from: number, to: number): Uint8Array {
  return new Uint8Array(length).fill(255, from, to);
}

const CASES: readonly (readonly [address: number, input: Uint8Array, reason: string])[] = [
  [MODEXP, changed(MODEXP, { 30: 255 }), 'one or more of base/exponent/modulus length exceeded 1024 bytes'],
  [ADD, changed(ADD, { 63: 0xfe }), 'point is not on curve'],
  [ADD, filled(128, 64, 96), ENCODING],
  [MULTIPLY, filled(96, 0, 32), ENCODING],
  [PAIRING, changed(PAIRING, {}, 191), 'bad elliptic curve pairing size'],
  [PAIRING, changed(PAIRING, { 191: 0xfe }), 'point is not on curve'],
  [PAIRING, filled(192, 64, 96), ENCODING],
  [BLAKE2F, changed(BLAKE2F, {}, 212), 'invalid input length'],
  [BLAKE2F, changed(BLAKE2F, { 212: 2 }), 'invalid final flag'],
  [KZG, changed(KZG, {}, 191), 'invalid input length'],
  [KZG, changed(KZG, { 0: 2 }), 'mismatched versioned hash'],
  [KZG, changed(KZG, { 95: 0xfe }), "error verifying kzg proof: can't verify opening proof"],
  [
    KZG,
    changed(KZG, { 64: 0xff }),
    `${KZG_PROBLEM}scalar is not canonical when interpreted as a big integer in big-endian`,
  ],
  [KZG, changed(KZG, { 144: 0x00 }), `${KZG_PROBLEM}short buffer`],
  [KZG, changed(KZG, { 144: 0xe0 }), `${KZG_PROBLEM}invalid point encoding`],
  [KZG, changed(KZG, { 144: 0xc0, 191: 1 }), `${KZG_PROBLEM}invalid infinity point encoding`],
  [KZG, changed(KZG, { 144: 0x9f, 145: 0xff }), `${KZG_PROBLEM}${ENCODING}`],
  [KZG, withProof(4n), `${KZG_PROBLEM}invalid point: subgroup check failed`],
  [KZG, withProof(1n), `${KZG_PROBLEM}invalid compressed coordinate: square root doesn't exist`],
  [G1_ADD, changed(G1_ADD, {}, 255), 'invalid input length'],
  [G1_ADD, changed(G1_ADD, { 0: 1 }), 'invalid field element top bytes'],
  [G1_ADD, changed(G1_ADD, { 127: 0xfe }), 'invalid point: not on curve'],
  [G1_ADD, filled(256, 128 + 16, 128 + 64), ENCODING],
  [G2_ADD, changed(G2_ADD, { 255: 0xfe }), 'invalid point: not on curve'],
  [G1_SUM, new Uint8Array(0), 'invalid input length'],
  [G1_SUM, pointOutsideTheGroup(160), 'g1 point is not on correct subgroup'],
  [BLS_PAIRING, pointOutsideTheGroup(384), 'g1 point is not on correct subgroup'],
  [MAP_G1, filled(64, 16, 64), ENCODING],
  [MAP_G1, filled(64, 0, 16), 'invalid field element top bytes'],
];

/** Builds a point evaluation with a proof of this x. */
function withProof(x: bigint): Uint8Array {
  const input = changed(KZG, {});
  input.fill(0, 144);
  input[144] = 0x80;
  input[191] = Number(x);
  return input;
}

/** (0, 2) is on the curve y^2 = x^3 + 4, and has order 3. */
function pointOutsideTheGroup(length: number): Uint8Array {
  const input = new Uint8Array(length);
  input[127] = 2;
  return input;
}

for (const [address, input, reason] of CASES) {
  const precompile = OSAKA.get(address);
  test(`${precompile?.name} reports: ${reason}, ${input.length} bytes`, () => {
    assert.equal(precompile?.run(input), undefined);
    const explanation = precompile?.explain?.(input);
    assert.equal(typeof explanation === 'object' ? finishSteps(explanation) : explanation, reason);
  });
}
