/** Fork configuration around the head (EIP-7910), in the shape of geth's `eth_config`. */
import {
  type BlobParameters,
  blobParametersAt,
  type ChainConfig,
} from '../../../../packages/ethereum/codecs/chain-config.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { RevisionRules } from '../../../../packages/evm/interpreter/revisions/revision-rules.ts';
import { latestRules } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import { quantity } from '../../../chain/json-values.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import { computeForkId } from './fork-id.ts';

type TimeFork = ChainConfig['timeForks'][number];

/**
 * Encodes the fork that is active at the head's time, the next fork and the last scheduled fork. As in geth, forks by block number are not included:
 * `current` is null before Shanghai, and `last` is null without a next fork.
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
  const rules = latestRules(forks);
  const precompiles = [...rules.precompiles]
    .map(([address, { name }]) => `"${name}":"0x${address.toString(16).padStart(40, '0')}"`)
    .sort();
  const contracts = listSystemContracts(config, rules)
    .map(([name, address]) => `"${name}":"${address}"`)
    .sort();
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

/** Returns the names and addresses of the system contracts that a fork uses. */
function listSystemContracts(
  { depositContract }: ChainConfig,
  { blockCalls, requestQueues, hasRequests }: RevisionRules,
): (readonly [name: string, address: string])[] {
  const called = [...blockCalls, ...requestQueues].map(
    ({ contract }) => [contract.name, bytesToHex(contract.address)] as const,
  );
  return hasRequests ? [...called, ['DEPOSIT_CONTRACT_ADDRESS', depositContract]] : called;
}
