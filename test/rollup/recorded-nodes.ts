/** Answers of a node of each family, in its own shapes, and the service's results for them. Every value appears once. */

import { makeBlock, type Params, RpcError } from '../support/served-node.ts';
import { computePosterGas } from './arbitrum-poster.ts';

export type RecordedFamily = {
  /** Name in the table; the service recognises the family by itself. */
  readonly name: string;
  /** Distinguishes one of several forms of the family. */
  readonly title?: string;
  readonly prefix: string;
  /** Chain id of the node; it matters when fees depend on a transaction's size. */
  readonly chainId?: number;
  readonly answers: Readonly<Record<string, (params: Params) => unknown>>;
  /** Results on the wire. */
  readonly estimate: Readonly<Record<'gasLimit' | 'baseFeePerGas' | 'priorityFeePerGas', string>>;
  readonly info: object;
};

export const HEIGHT = 40;
const ORACLE = '0x420000000000000000000000000000000000000f';
const L1_BLOCK = '0x4200000000000000000000000000000000000015';
const SCROLL_ORACLE = '0x5300000000000000000000000000000000000002';
const MORPH_ORACLE = '0x530000000000000000000000000000000000000f';
/** Linea prices: fixed 30,000,000 wei, variable 16,076,389,000 wei. */
const LINEA_EXTRA_DATA = `0x010000753000f54e650000ea60${'00'.repeat(19)}`;

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;

/** Answers calls of contracts by address and selector; every other address has no contract. */
function callContracts(words: Readonly<Record<string, number>>): (params: Params) => string {
  return ([call]) => {
    const { to, data } = call as { readonly to: string; readonly data: string };
    const value = words[`${to} ${data.slice(0, 10)}`];
    return value === undefined ? '0x' : word(value);
  };
}

/** Blocks of a node, with further members. */
function tellBlocks(members: object): (params: Params) => unknown {
  return ([reference]) => {
    const text = String(reference);
    const isTag = !text.startsWith('0x');
    const number = isTag ? (/latest|pending/.test(text) ? HEIGHT : HEIGHT - 10) : Number(text);
    return number <= HEIGHT ? { ...makeBlock(number), ...members } : null;
  };
}

const OP_WORDS = {
  [`${ORACLE} 0x313ce567`]: 6,
  [`${ORACLE} 0x49948e0e`]: 105_484,
  [`${ORACLE} 0x275aedd2`]: 58,
  [`${L1_BLOCK} 0x8381f58a`]: 23_800_000,
  [`${L1_BLOCK} 0xb80777ea`]: 1_764_000_000,
};

const tip = { eth_maxPriorityFeePerGas: () => '0xf4240' };
const gas = { eth_estimateGas: () => '0xcf08' };
const plainInfo = (ethContext: object, verifiedIndex: number, queueIndex = 0): object => ({
  mode: 'verifier',
  syncing: false,
  ethContext,
  rollupContext: { queueIndex, index: HEIGHT - 1, verifiedIndex },
});
const NO_L1 = { blockNumber: 0, timestamp: 0 };

/** A chain without any mark: its family has to be configured. */
export const PLAIN: RecordedFamily = {
  name: 'ethereum',
  prefix: 'ethereum',
  chainId: 31_337,
  answers: { ...gas, ...tip },
  estimate: { gasLimit: '0xcf08', baseFeePerGas: '0x7', priorityFeePerGas: '0xf4240' },
  info: plainInfo(NO_L1, HEIGHT - 11),
};

export const RECORDED: readonly RecordedFamily[] = [
  {
    name: 'linea',
    prefix: 'linea',
    chainId: 59_144,
    answers: {
      ...gas,
      web3_clientVersion: () => 'linea-besu/v26.4/linux-x86_64/openjdk-java-21',
      eth_getBlockByNumber: tellBlocks({ extraData: LINEA_EXTRA_DATA }),
    },
    // The values are those of the public example of linea_estimateGas.
    estimate: { gasLimit: '0xcf08', baseFeePerGas: '0x7', priorityFeePerGas: '0x43a82a4' },
    info: plainInfo(NO_L1, HEIGHT - 11),
  },
  {
    name: 'linea',
    title: 'linea with its plugin',
    prefix: 'linea',
    answers: {
      ...gas,
      web3_clientVersion: () => 'besu/v26.4/linux-x86_64/openjdk-java-21',
      eth_getBlockByNumber: tellBlocks({ extraData: LINEA_EXTRA_DATA }),
      linea_estimateGas: ([call, overrides]) => {
        if (call === undefined) throw new RpcError(-32602, 'Invalid call parameters (index 0)');
        if (overrides !== undefined && typeof overrides !== 'object') {
          throw new RpcError(-32602, 'Invalid account overrides parameter (index 1)');
        }
        return { baseFeePerGas: '0x8', gasLimit: '0xcf09', priorityFeePerGas: '0x43a82a5' };
      },
    },
    estimate: { gasLimit: '0xcf09', baseFeePerGas: '0x8', priorityFeePerGas: '0x43a82a5' },
    info: plainInfo(NO_L1, HEIGHT - 11),
  },
  {
    name: 'op-stack',
    prefix: 'op',
    answers: { ...gas, ...tip, eth_call: callContracts(OP_WORDS) },
    // 1,000,000 + ceil(105,542 / 53,000)
    estimate: { gasLimit: '0xcf08', baseFeePerGas: '0x7', priorityFeePerGas: '0xf4242' },
    info: plainInfo({ blockNumber: 23_800_000, timestamp: 1_764_000_000 }, HEIGHT - 11),
  },
  {
    name: 'mantle',
    prefix: 'mantle',
    answers: {
      ...gas,
      ...tip,
      eth_call: callContracts({
        ...OP_WORDS,
        [`${ORACLE} 0x1e2b6e7b`]: 1,
        [`${ORACLE} 0x06f837d3`]: 3_500,
        [`${L1_BLOCK} 0x4d5d9a2a`]: 0,
        [`${L1_BLOCK} 0x16d3bc7f`]: 58,
      }),
    },
    // 1,000,000 + ceil((105,484 x 3,500 + 58) / 53,000)
    estimate: { gasLimit: '0xcf08', baseFeePerGas: '0x7', priorityFeePerGas: '0xf5d76' },
    info: plainInfo({ blockNumber: 23_800_000, timestamp: 1_764_000_000 }, HEIGHT - 11),
  },
  {
    name: 'arbitrum',
    prefix: 'arbitrum',
    answers: {
      // The gas is that of a transfer, plus layer 1 for 10,000 gwei.
      eth_estimateGas: () =>
        `0x${(21_000n + computePosterGas(10n ** 13n, 10n ** 8n, 10n ** 8n)).toString(16)}`,
      eth_getBlockByNumber: tellBlocks({
        l1BlockNumber: '0x16b4a31',
        sendCount: '0x1f4',
        sendRoot: word(9),
        nonce: '0x00000000000003e9',
        timestamp: '0x6553f100',
      }),
    },
    estimate: { gasLimit: '0x1ffb8', baseFeePerGas: '0x7', priorityFeePerGas: '0x0' },
    info: plainInfo({ blockNumber: 0x16b4a31, timestamp: 0x6553f100 }, HEIGHT - 11, 1_000),
  },
  {
    name: 'scroll',
    prefix: 'scroll',
    answers: {
      ...gas,
      ...tip,
      eth_call: callContracts({
        [`${SCROLL_ORACLE} 0x519b4bd3`]: 7,
        [`${SCROLL_ORACLE} 0x49948e0e`]: 900_000,
      }),
      scroll_estimateL1DataFee: () => '0x186a1',
      scroll_getL1SyncHeight: () => 23_000_000,
      scroll_getLatestRelayedQueueIndex: () => 976_543,
      scroll_syncStatus: () => ({ l2BlockSyncHeight: HEIGHT, l2FinalizedBlockHeight: HEIGHT - 5 }),
    },
    // 1,000,000 + ceil(100,001 / 53,000)
    estimate: { gasLimit: '0xcf08', baseFeePerGas: '0x7', priorityFeePerGas: '0xf4242' },
    info: plainInfo({ blockNumber: 23_000_000, timestamp: 0 }, HEIGHT - 6, 976_543),
  },
  {
    name: 'morph',
    prefix: 'morph',
    chainId: 2_818,
    answers: {
      ...gas,
      ...tip,
      eth_call: callContracts({ [`${MORPH_ORACLE} 0x519b4bd3`]: 7, [`${MORPH_ORACLE} 0x49948e0e`]: 105_542 }),
    },
    estimate: { gasLimit: '0xcf08', baseFeePerGas: '0x7', priorityFeePerGas: '0xf4242' },
    info: plainInfo(NO_L1, HEIGHT - 11),
  },
  {
    name: 'zksync',
    prefix: 'zksync',
    chainId: 324,
    answers: {
      ...gas,
      eth_getBlockByNumber: (params) =>
        params[0] === 'l1_committed' ? makeBlock(HEIGHT - 4) : tellBlocks({})(params),
      zks_L1BatchNumber: () => '0x7a120',
      zks_estimateFee: () => ({
        gas_limit: '0x2dc6c0',
        max_fee_per_gas: '0x2b275d0',
        max_priority_fee_per_gas: '0x0',
        gas_per_pubdata_limit: '0xc350',
      }),
    },
    estimate: { gasLimit: '0x2dc6c0', baseFeePerGas: '0x7', priorityFeePerGas: '0x0' },
    info: plainInfo(NO_L1, HEIGHT - 5),
  },
  {
    name: 'polygon-zkevm',
    prefix: 'zkevm',
    chainId: 1_101,
    answers: {
      ...gas,
      eth_gasPrice: () => '0x3b9ac9ff',
      zkevm_estimateGasPrice: () => '0x3b9aca00',
      zkevm_consolidatedBlockNumber: () => `0x${(HEIGHT - 3).toString(16)}`,
    },
    estimate: { gasLimit: '0xcf08', baseFeePerGas: '0x0', priorityFeePerGas: '0x3b9aca00' },
    info: plainInfo(NO_L1, HEIGHT - 4),
  },
  {
    name: 'taiko',
    prefix: 'taiko',
    chainId: 167_000,
    answers: {
      ...gas,
      ...tip,
      taiko_headL1Origin: () => ({ blockID: '0x24', l1BlockHeight: '0x15ef3c0', l1BlockHash: word(1) }),
    },
    estimate: { gasLimit: '0xcf08', baseFeePerGas: '0x7', priorityFeePerGas: '0xf4240' },
    info: plainInfo({ blockNumber: 23_000_000, timestamp: 0 }, HEIGHT - 5),
  },
  {
    name: 'l2geth',
    prefix: 'metis',
    chainId: 1_088,
    answers: {
      eth_estimateGas: (params) => {
        if (params.length > 1) throw new RpcError(-32602, 'too many arguments, want at most 1');
        return '0x5208';
      },
      eth_getBlockByNumber: tellBlocks({ baseFeePerGas: undefined }),
      eth_gasPrice: () => '0x10',
      rollup_gasPrices: () => ({ l1GasPrice: '0x1', l2GasPrice: '0x10' }),
      // The answer was recorded from Optimism in December 2022.
      rollup_getInfo: () => ({
        mode: 'verifier',
        syncing: false,
        ethContext: { blockNumber: 16_131_692, timestamp: 1_670_402_841 },
        rollupContext: { index: 46_308_439, queueIndex: 227_091, verifiedIndex: 0 },
      }),
    },
    estimate: { gasLimit: '0x5208', baseFeePerGas: '0x0', priorityFeePerGas: '0x10' },
    info: {
      mode: 'verifier',
      syncing: false,
      ethContext: { blockNumber: 16_131_692, timestamp: 1_670_402_841 },
      rollupContext: { queueIndex: 227_091, index: 46_308_439, verifiedIndex: 0 },
    },
  },
];

/** The transfer of one ether of Linea's public example, without the nonce. */
export const CALL = {
  from: '0x52908400098527886e0f7030069857d2e4169ee7',
  to: '0x8617e340b3d01fa5f11f306f4090fd50e238070d',
  value: '0xde0b6b3a7640000',
  nonce: '0x0',
};

/** The example of a record in docs/rollups.md: requests and results of both methods. */
export function describeExample({ name, title = name, prefix, estimate, info }: RecordedFamily): string {
  const show = (method: string, params: readonly unknown[], result: object): string =>
    `>> ${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n` +
    `<< ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n`;
  const estimated = show(`${prefix}_estimateGas`, [CALL], estimate);
  return `### ${title}\n\n\`\`\`\n${estimated}${show('rollup_getInfo', [], info)}\`\`\`\n`;
}
