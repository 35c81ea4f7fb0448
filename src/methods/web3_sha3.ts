import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { data, hash32 } from '../rpc/schemas.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { workFor } from './work-credits.ts';

/** Number of hex digits of input that the base credits of a call include, equal to 16 KiB of data. */
const COVERED_DIGITS = 2 * 16 * 1024;

export const web3Sha3: Method<MethodContext> = defineMethod({
  name: 'web3_sha3',
  summary: 'Returns the Keccak-256 hash of the data.',
  params: [{ name: 'data', description: 'Bytes to hash.', required: true, codec: data }],
  result: { name: 'hash', schema: hash32 },
  contractScope: scopeOfNothing,
  cost: 5,
  isLocal: true,
  errors: [],
  example: {
    params: ['0x68656c6c6f20776f726c64'],
    result: '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
  },
  handle: ([bytes], { scope }) =>
    workFor(
      scope,
      'web3_sha3_further16KiB',
      Math.ceil(bytes.length / COVERED_DIGITS) - 1,
      () => `"${bytesToHex(keccak256(hexToBytes(bytes)))}"`,
    ),
});
