import {
  type ChainConfig,
  listForkMembers,
  parseChainConfig,
} from '../../../../packages/ethereum/codecs/chain-config.ts';

type BlobRow = readonly [target: number, max: number, baseFeeUpdateFraction: number];

/** Members of a chain configuration in which all forks by block number, up to London, are active at genesis. */
const AT_GENESIS = listForkMembers('london');
const OSAKA_BLOBS = {
  prague: toBlobs([6, 9, 5_007_716]),
  osaka: toBlobs([6, 9, 5_007_716]),
  bpo1: toBlobs([10, 15, 8_346_193]),
  bpo2: toBlobs([14, 21, 11_684_671]),
};

/** Fork schedules of public chains, from go-ethereum's `params/config.go`. */
const CONFIGS: readonly { readonly chainId: number; readonly [key: string]: unknown }[] = [
  {
    chainId: 1,
    homesteadBlock: 1_150_000,
    daoForkBlock: 1_920_000,
    eip150Block: 2_463_000,
    eip155Block: 2_675_000,
    eip158Block: 2_675_000,
    byzantiumBlock: 4_370_000,
    constantinopleBlock: 7_280_000,
    petersburgBlock: 7_280_000,
    istanbulBlock: 9_069_000,
    muirGlacierBlock: 9_200_000,
    berlinBlock: 12_244_000,
    londonBlock: 12_965_000,
    arrowGlacierBlock: 13_773_000,
    grayGlacierBlock: 15_050_000,
    terminalTotalDifficulty: '58750000000000000000000',
    shanghaiTime: 1_681_338_455,
    cancunTime: 1_710_338_135,
    pragueTime: 1_746_612_311,
    osakaTime: 1_764_798_551,
    bpo1Time: 1_765_290_071,
    bpo2Time: 1_767_747_671,
    blobSchedule: OSAKA_BLOBS,
  },
  {
    ...AT_GENESIS,
    chainId: 11_155_111,
    terminalTotalDifficulty: '17000000000000000',
    mergeNetsplitBlock: 1_735_371,
    shanghaiTime: 1_677_557_088,
    cancunTime: 1_706_655_072,
    pragueTime: 1_741_159_776,
    osakaTime: 1_760_427_360,
    bpo1Time: 1_761_017_184,
    bpo2Time: 1_761_607_008,
    amsterdamTime: 1_791_294_816,
    blobSchedule: OSAKA_BLOBS,
  },
  {
    ...AT_GENESIS,
    chainId: 560_048,
    terminalTotalDifficulty: 0,
    mergeNetsplitBlock: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 1_742_999_832,
    osakaTime: 1_761_677_592,
    bpo1Time: 1_762_365_720,
    bpo2Time: 1_762_955_544,
    blobSchedule: OSAKA_BLOBS,
  },
];

function toBlobs([target, max, baseFeeUpdateFraction]: BlobRow): Readonly<Record<string, number>> {
  return { target, max, baseFeeUpdateFraction };
}

/** Returns the rules of a public chain; undefined if the chain is not in `CONFIGS`. */
export function findKnownChain(chainId: bigint): ChainConfig | undefined {
  const found = CONFIGS.find((config) => BigInt(config.chainId) === chainId);
  return found && parseChainConfig(found);
}

/**
 * Chains with precompiles that `eth_config` does not report, or with different gas costs. Examples: B20 tokens of Base since Beryl, stateful
 * precompiles of Avalanche, transfers of Celo, gas costs of Monad and MegaETH. Nodes execute calls on these chains, unless `chain` configures the
 * rules.
 */
const WITH_OWN_CONTRACTS: ReadonlySet<bigint> = new Set([
  8_453n,
  84_532n,
  43_114n,
  43_113n,
  42_220n,
  143n,
  10_143n,
  4_326n,
  6_343n,
]);

/** Returns whether the calls of a chain follow rules that no Ethereum fork has. */
export function hasOwnContracts(chainId: bigint): boolean {
  return WITH_OWN_CONTRACTS.has(chainId);
}
