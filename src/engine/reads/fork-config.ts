/** The rules around the head as EIP-7910 has them, in the shape of geth's `eth_config`. */
import { type BlobParameters, blobParametersAt, type ChainConfig } from '../../chain/chain-config.ts';
import { quantity } from '../../chain/json-values.ts';
import { isAtLeast, REVISIONS, type Revision } from '../../evm/revision.ts';
import { bytesToHex } from '../../primitives/hex.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import type { StoredHeader } from '../../store/chain-reader.ts';
import {
  BEACON_ROOTS_CONTRACT,
  CONSOLIDATION_REQUESTS_CONTRACT,
  HISTORY_CONTRACT,
  WITHDRAWAL_REQUESTS_CONTRACT,
} from '../transition/system-calls.ts';
import { computeForkId } from './fork-id.ts';

/** Names of EIP-7910 with address and first revision, by name. */
export const PRECOMPILES: readonly (readonly [name: string, address: number, since: Revision])[] = [
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

type TimeFork = ChainConfig['timeForks'][number];

/**
 * The fork that is active at the head's time, the next one and the last one. As in geth only forks by time count: before Shanghai there is no current one,
 * and without a next one there is no last one.
 */
export function encodeForkConfig(config: ChainConfig, genesis: StoredHeader, headTime: bigint): JsonText {
  const { timeForks } = config;
  const at = timeForks.findLastIndex(({ time }) => time <= headTime);
  const encode = (active: TimeFork | undefined): JsonText =>
    active === undefined ? 'null' : encodeFork(config, genesis, active);
  const next = timeForks[at + 1];
  const last = next === undefined ? undefined : timeForks.at(-1);
  return `{"current":${encode(timeForks[at])},"next":${encode(next)},"last":${encode(last)}}`;
}

function encodeFork(config: ChainConfig, genesis: StoredHeader, { time }: TimeFork): JsonText {
  const forks = [
    'frontier' as const,
    ...config.timeForks.filter((one) => one.time <= time).map((one) => one.fork),
  ];
  const revision = REVISIONS.findLast((name) => (forks as readonly string[]).includes(name)) ?? 'paris';
  const precompiles = PRECOMPILES.filter(([, , since]) => isAtLeast(revision, since)).map(
    ([name, address]) => `"${name}":"0x${address.toString(16).padStart(40, '0')}"`,
  );
  const contracts = listSystemContracts(config, revision).map(([name, address]) => `"${name}":"${address}"`);
  return (
    `{"activationTime":${genesis.header.timestamp >= time ? 0 : time},` +
    `"blobSchedule":${encodeBlobs(blobParametersAt(config, forks))},"chainId":${quantity(config.chainId)},` +
    `"forkId":"${computeForkId(config, genesis, time)}","precompiles":{${precompiles.join(',')}},` +
    `"systemContracts":{${contracts.join(',')}}}`
  );
}

function encodeBlobs(blobs: BlobParameters | undefined): JsonText {
  if (blobs === undefined) return 'null';
  const { target, max, baseFeeUpdateFraction } = blobs;
  return `{"target":${target},"max":${max},"baseFeeUpdateFraction":${baseFeeUpdateFraction}}`;
}

/** By name. */
function listSystemContracts(
  config: ChainConfig,
  revision: Revision,
): (readonly [name: string, address: string])[] {
  if (!isAtLeast(revision, 'cancun')) return [];
  const beaconRoots = ['BEACON_ROOTS_ADDRESS', bytesToHex(BEACON_ROOTS_CONTRACT)] as const;
  if (!isAtLeast(revision, 'prague')) return [beaconRoots];
  return [
    beaconRoots,
    ['CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS', bytesToHex(CONSOLIDATION_REQUESTS_CONTRACT)],
    ['DEPOSIT_CONTRACT_ADDRESS', config.depositContract],
    ['HISTORY_STORAGE_ADDRESS', bytesToHex(HISTORY_CONTRACT)],
    ['WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS', bytesToHex(WITHDRAWAL_REQUESTS_CONTRACT)],
  ];
}
