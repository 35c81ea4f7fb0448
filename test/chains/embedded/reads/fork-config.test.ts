import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChainConfig, parseChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import { BLANK_HEADER } from '../../../../packages/ethereum/codecs/header.ts';
import { hexToBytes } from '../../../../packages/ethereum/primitives/hex.ts';
import {
  REVISIONS,
  type Revision,
  rulesOf,
} from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { encodeForkConfig } from '../../../../src/chains/embedded/reads/fork-config.ts';
import { computeForkId } from '../../../../src/chains/embedded/reads/fork-id.ts';
import type { StoredHeader } from '../../../../src/chains/embedded/store/chain-reader.ts';
import { findKnownChain } from '../../../../src/chains/local-execution/remote/known-chains.ts';
import { isAtLeast } from '../../../support/is-at-least.ts';

function createGenesisHeader(hashText: string, timestamp = 0n): StoredHeader {
  return {
    header: { ...BLANK_HEADER, timestamp },
    hash: hexToBytes(hashText),
    hashText,
    totalDifficulty: 0n,
  };
}

const BLOBS = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
const MAINNET = findKnownChain(1n) as ChainConfig;
const MAINNET_GENESIS = createGenesisHeader(
  '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
);

test('fork identifiers equal those of the networks', () => {
  const known: readonly (readonly [time: bigint, hash: string])[] = [
    [1_681_338_454n, '0xf0afd0e3'],
    [1_681_338_455n, '0xdce96c2d'],
    [1_710_338_135n, '0x9f3d2254'],
    [1_746_612_311n, '0xc376cf8b'],
    [1_764_798_551n, '0x5167e2a6'],
    [1_765_290_071n, '0xcba2a1c0'],
    [2_000_000_000n, '0x07c9462e'],
  ];
  for (const [time, hash] of known) assert.equal(computeForkId(MAINNET, MAINNET_GENESIS, time), hash);
  // Sepolia activates every fork at genesis except the network split at the merge.
  const sepolia = parseChainConfig({ chainId: 11_155_111, londonBlock: 0, mergeNetsplitBlock: 1_735_371 });
  const genesis = createGenesisHeader('0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9');
  assert.equal(computeForkId(sepolia, genesis, 1_677_557_087n), '0xb96cbd13');
});

type Fork = {
  readonly activationTime: number;
  readonly blobSchedule: unknown;
  readonly precompiles: Readonly<Record<string, string>>;
  readonly systemContracts: Readonly<Record<string, string>>;
};
type Schedule = { readonly current: Fork | null; readonly next: Fork | null; readonly last: Fork | null };

const readSchedule = (time: bigint): Schedule =>
  JSON.parse(encodeForkConfig(MAINNET, MAINNET_GENESIS, time)) as Schedule;

test('the fork config has the current, the next and the last fork', () => {
  const times = (time: bigint): readonly (number | undefined)[] => {
    const { current, next, last } = readSchedule(time);
    return [current?.activationTime, next?.activationTime, last?.activationTime];
  };
  assert.deepEqual(times(0n), [undefined, 1_681_338_455, 1_767_747_671]);
  assert.deepEqual(times(1_764_798_551n), [1_764_798_551, 1_765_290_071, 1_767_747_671]);
  assert.deepEqual(times(2_000_000_000n), [1_767_747_671, undefined, undefined]);
});

test('a fork has its system contracts and its blob schedule', () => {
  const { current: shanghai, next: cancun } = readSchedule(1_681_338_455n);
  assert.equal(shanghai?.blobSchedule, null);
  assert.deepEqual(shanghai?.systemContracts, {});
  assert.deepEqual(Object.keys(cancun?.systemContracts ?? {}), ['BEACON_ROOTS_ADDRESS']);
  const { current: osaka, next: bpo1 } = readSchedule(1_764_798_551n);
  assert.deepEqual(osaka?.blobSchedule, BLOBS);
  assert.deepEqual(bpo1?.blobSchedule, { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 });
  assert.equal(osaka?.precompiles['P256VERIFY'], `0x${'100'.padStart(40, '0')}`);
  assert.equal(Object.keys(osaka?.systemContracts ?? {}).length, 5);
});

test('a fork of the genesis block has activation time 0', () => {
  const config = parseChainConfig({
    chainId: 1,
    londonBlock: 0,
    terminalTotalDifficulty: 0,
    shanghaiTime: 5,
  });
  const genesis = createGenesisHeader(`0x${'11'.repeat(32)}`, 5n);
  const { current } = JSON.parse(encodeForkConfig(config, genesis, 9n)) as Schedule;
  assert.equal(current?.activationTime, 0);
});

/** EIP-7910 name, address and first revision of each precompile, sorted by name. */
const PRECOMPILES: readonly (readonly [name: string, address: number, since: Revision])[] = [
  ['BLAKE2F', 0x09, 'istanbul'],
  ['BLS12_G1ADD', 0x0b, 'prague'],
  ['BLS12_G1MSM', 0x0c, 'prague'],
  ['BLS12_G2ADD', 0x0d, 'prague'],
  ['BLS12_G2MSM', 0x0e, 'prague'],
  ['BLS12_MAP_FP2_TO_G2', 0x11, 'prague'],
  ['BLS12_MAP_FP_TO_G1', 0x10, 'prague'],
  ['BLS12_PAIRING_CHECK', 0x0f, 'prague'],
  ['BN254_ADD', 0x06, 'byzantium'],
  ['BN254_MUL', 0x07, 'byzantium'],
  ['BN254_PAIRING', 0x08, 'byzantium'],
  ['ECREC', 0x01, 'frontier'],
  ['ID', 0x04, 'frontier'],
  ['KZG_POINT_EVALUATION', 0x0a, 'cancun'],
  ['MODEXP', 0x05, 'byzantium'],
  ['P256VERIFY', 0x100, 'osaka'],
  ['RIPEMD160', 0x03, 'frontier'],
  ['SHA256', 0x02, 'frontier'],
];

test('the named precompiles are those of each revision', () => {
  for (const revision of REVISIONS) {
    const named = PRECOMPILES.filter(([, , since]) => isAtLeast(revision, since));
    assert.deepEqual(
      named.map(([name, address]) => [address, name]).sort(([a], [b]) => Number(a) - Number(b)),
      [...rulesOf(revision).precompiles].map(([address, { name }]) => [address, name]),
      revision,
    );
  }
});
