/** Requests of every read method about the newest blocks, old ones, and blocks that only a lying node has. */

import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import {
  BOB,
  type BranchFacts,
  KEEPER,
  LOGGED_TOPIC,
  LOGGER,
  SHARED,
} from '../../../support/forged-branch.ts';
import { ALICE } from '../../../support/test-chain.ts';

export type AskedQuestion = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Whether the caller names the block, or the transaction, by its hash. */
  readonly isNamed?: boolean;
};

const SLOT = `0x${'0'.repeat(64)}`;
const READ = { to: KEEPER, data: '0x' };
const PAY = { from: bytesToHex(ALICE), to: BOB, value: '0x1' };

/** @param forged blocks of the lying nodes, some of which are requested by number and hash */
export function listQuestions(forged: BranchFacts): readonly AskedQuestion[] {
  const references = ['latest', 'safe', 'finalized', 'pending', encodeQuantity(BigInt(SHARED + 3)), '0x3'];
  const at = (method: string, ...before: readonly unknown[]): AskedQuestion[] =>
    references.map((block) => ({ method, params: [...before, block] }));
  const atFirst = (method: string, ...after: readonly unknown[]): AskedQuestion[] =>
    references.map((block) => ({ method, params: [block, ...after] }));
  const ofHead = (method: string, ...params: readonly unknown[]): AskedQuestion => ({ method, params });
  const topics = [bytesToHex(LOGGED_TOPIC)];
  const [hash = '', transaction = ''] = [forged.blocks[SHARED + 2], forged.transactions[SHARED + 2]];
  const byHash = (method: string, ...params: readonly unknown[]): AskedQuestion => ({
    method,
    params,
    isNamed: true,
  });
  return [
    ...['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].flatMap((method) => at(method, BOB)),
    ...at('eth_getStorageAt', KEEPER, SLOT),
    ...at('eth_getStorageValues', { [KEEPER]: [SLOT] }),
    ...at('eth_getProof', KEEPER, [SLOT]),
    ...at('eth_call', READ),
    ...at('eth_estimateGas', PAY),
    ...at('eth_createAccessList', { ...READ, from: bytesToHex(ALICE) }),
    ...at('eth_simulateV1', { blockStateCalls: [{ calls: [READ] }] }),
    ...atFirst('eth_getBlockByNumber', true),
    ...atFirst('eth_getBlockByNumber', false),
    ...atFirst('eth_getHeaderByNumber'),
    ...atFirst('eth_getBlockReceipts'),
    ...atFirst('eth_getBlockTransactionCountByNumber'),
    ...atFirst('eth_getUncleCountByBlockNumber'),
    ...atFirst('eth_getUncleByBlockNumberAndIndex', '0x0'),
    ...atFirst('eth_getTransactionByBlockNumberAndIndex', '0x0'),
    ...atFirst('eth_getRawTransactionByBlockNumberAndIndex', '0x1'),
    ...['debug_getRawBlock', 'debug_getRawHeader', 'debug_getRawReceipts'].flatMap((method) =>
      atFirst(method),
    ),
    ...references.map((newest) => ofHead('eth_feeHistory', '0x2', newest, [50])),
    ...references.map((fromBlock) =>
      ofHead('eth_getLogs', { address: LOGGER, topics, fromBlock, toBlock: fromBlock }),
    ),
    ...['eth_blockNumber', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_baseFee', 'eth_blobBaseFee'].map(
      (method) => ofHead(method),
    ),
    ...['eth_syncing', 'eth_config', 'eth_capabilities', 'eth_chainId', 'net_version'].map((method) =>
      ofHead(method),
    ),
    byHash('eth_getBlockByHash', hash, true),
    byHash('eth_getHeaderByHash', hash),
    byHash('eth_getBlockReceipts', hash),
    byHash('eth_getBalance', BOB, { blockHash: hash }),
    byHash('eth_call', READ, { blockHash: hash }),
    byHash('eth_getLogs', { address: LOGGER, blockHash: hash }),
    byHash('eth_getRawTransactionByHash', transaction),
    { method: 'eth_getTransactionByHash', params: [transaction] },
    { method: 'eth_getTransactionReceipt', params: [transaction] },
  ];
}
