import type { Rule } from './rule.ts';

const INPUT_LENGTH = 'invalid input length';
const TOO_LONG = 'one or more of base/exponent/modulus length exceeded 1024 bytes';
const OFF_CURVE = 'invalid point: not on curve';

/**
 * Failures of precompiled contracts that are called directly. Sources of the messages: geth in core/vm/contracts.go, crypto/bn256 and gnark-crypto;
 * revm's `PrecompileHalt` as reth prints it; Nethermind in Nethermind.Evm.Precompiles/Errors.cs.
 */
export const PRECOMPILE_RULES: readonly Rule[] = [
  {
    client: 'geth, Erigon, Nethermind',
    pattern:
      /^(?:invalid input length|invalid final flag|bad elliptic curve pairing size|one or more of base\/exponent\/modulus length exceeded|mismatched versioned hash|error verifying kzg proof)/i,
    kind: 'failed',
  },
  {
    client: 'geth, Erigon, Nethermind',
    pattern:
      /^(?:invalid field element (?:top bytes|length)|invalid f[pr]\.Element encoding|invalid g[12] point (?:length|size)|invalid (?:infinity )?point(?: encoding|: )|invalid compressed coordinate|invalid inputs sizes|point is not (?:on curve|in correct subgroup)|g[12] point is not on correct subgroup|bn256: )/i,
    kind: 'failed',
  },
  { client: 'Nethermind', pattern: /^g[12] point is not on curve/i, kind: 'failed', geth: OFF_CURVE },
  { client: 'Nethermind', pattern: /^precompile (?:error|failure)/i, kind: 'failed' },
  {
    client: 'Erigon',
    pattern: /^(?:base|exponent|modulus) length is too large/i,
    kind: 'failed',
    geth: TOO_LONG,
  },
  {
    client: 'revm',
    pattern:
      /^EVM error:? PrecompileErrorWithContext\("(?:wrong input length for blake2|invalid blob input length|kzg invalid input length|bls12-381 .{1,24} input length error)/i,
    kind: 'failed',
    geth: INPUT_LENGTH,
  },
  {
    client: 'revm',
    pattern: /^EVM error:? PrecompileErrorWithContext\("wrong final indicator flag/i,
    kind: 'failed',
    geth: 'invalid final flag',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? PrecompileErrorWithContext\("Modexp limit all input sizes/i,
    kind: 'failed',
    geth: TOO_LONG,
  },
  {
    client: 'revm',
    pattern: /^EVM error:? PrecompileErrorWithContext\("bn254 invalid pair length/i,
    kind: 'failed',
    geth: 'bad elliptic curve pairing size',
  },
  {
    client: 'revm',
    pattern:
      /^EVM error:? PrecompileErrorWithContext\("(?:field point not a member of bn254|non-canonical field element)/i,
    kind: 'failed',
    geth: 'invalid fp.Element encoding',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? PrecompileErrorWithContext\("failed to create affine g point for bn254/i,
    kind: 'failed',
    geth: 'point is not on curve',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? PrecompileErrorWithContext\("mismatched blob version/i,
    kind: 'failed',
    geth: 'mismatched versioned hash',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? PrecompileErrorWithContext\("verifying blob kzg proof failed/i,
    kind: 'failed',
    geth: 'error verifying kzg proof',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? PrecompileErrorWithContext\("bls12-381 fp 64 top bytes/i,
    kind: 'failed',
    geth: 'invalid field element top bytes',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? PrecompileErrorWithContext\("bls12-381 g[12] point not on curve/i,
    kind: 'failed',
    geth: OFF_CURVE,
  },
  {
    client: 'revm',
    pattern: /^EVM error:? PrecompileErrorWithContext\("bls12-381 (g[12]) point not in correct subgroup/i,
    kind: 'failed',
    geth: '$1 point is not on correct subgroup',
  },
];
