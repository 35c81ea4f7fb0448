import type { Method } from '../rpc/method.ts';
import { ethBlockNumber } from './eth_blockNumber.ts';
import { ethCall } from './eth_call.ts';
import { ethChainId } from './eth_chainId.ts';
import { ethEstimateGas } from './eth_estimateGas.ts';
import { ethGetBlockByHash } from './eth_getBlockByHash.ts';
import { ethGetBlockByNumber } from './eth_getBlockByNumber.ts';
import { ethGetBlockReceipts } from './eth_getBlockReceipts.ts';
import { ethGetLogs } from './eth_getLogs.ts';
import { ethGetTransactionByBlockNumberAndIndex } from './eth_getTransactionByBlockNumberAndIndex.ts';
import { ethGetTransactionCount } from './eth_getTransactionCount.ts';
import { ethGetUncleByBlockNumberAndIndex } from './eth_getUncleByBlockNumberAndIndex.ts';
import { l2EstimateGas } from './l2_estimateGas.ts';
import type { MethodContext } from './method-context.ts';
import { netVersion } from './net_version.ts';
import type { Network } from './network.ts';
import { createPassthrough } from './passthrough.ts';
import { rollupGetInfo } from './rollup_getInfo.ts';
import { web3ClientVersion } from './web3_clientVersion.ts';

/** Every method of the service, in the order of its specification, then what clients need besides. */
export const METHODS: readonly Method<MethodContext>[] = [
  ethGetUncleByBlockNumberAndIndex,
  ethEstimateGas,
  ethGetTransactionByBlockNumberAndIndex,
  ethGetBlockReceipts,
  ethCall,
  l2EstimateGas,
  rollupGetInfo,
  ethChainId,
  netVersion,
  web3ClientVersion,
  ethBlockNumber,
  ethGetBlockByNumber,
  ethGetBlockByHash,
  ethGetTransactionCount,
  ethGetLogs,
];

const BY_NAME: ReadonlyMap<string, Method<MethodContext>> = new Map(
  METHODS.map((method) => [method.name, method]),
);

/** The method that this network serves under this name. */
export function findMethod(name: string, network: Network): Method<MethodContext> | undefined {
  const method = BY_NAME.get(name);
  if (method === undefined) {
    return isOwnEstimateGas(name, network) ? l2EstimateGas : findPassthrough(name, network);
  }
  return method.needsRollup === true && network.rollup === undefined ? undefined : method;
}

/** The prefix `l2_` stands for the network's own (spec 1). */
function isOwnEstimateGas(name: string, { rollup, rollupPrefix }: Network): boolean {
  return rollup !== undefined && rollupPrefix !== undefined && name === `${rollupPrefix}_estimateGas`;
}

/** Made on first use; their names come from the configuration, so there are no more than it lists. */
const PASSTHROUGH = new Map<string, Method<MethodContext>>();

function findPassthrough(name: string, { passthrough }: Network): Method<MethodContext> | undefined {
  if (passthrough?.has(name) !== true) return undefined;
  const known = PASSTHROUGH.get(name);
  if (known !== undefined) return known;
  const created = createPassthrough(name);
  PASSTHROUGH.set(name, created);
  return created;
}
