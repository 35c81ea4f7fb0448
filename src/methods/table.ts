import { FAMILY_ESTIMATES, FAMILY_PREFIXES } from '../rollup/wire-names.ts';
import type { Method } from '../rpc/method.ts';
import { Lru } from '../util/lru.ts';
import { debugGetRawBlock } from './debug_getRawBlock.ts';
import { debugGetRawBlockAccessList } from './debug_getRawBlockAccessList.ts';
import { debugGetRawHeader } from './debug_getRawHeader.ts';
import { debugGetRawReceipts } from './debug_getRawReceipts.ts';
import { debugGetRawTransaction } from './debug_getRawTransaction.ts';
import { createDevelopmentMethod } from './development-method.ts';
import { ethAccounts } from './eth_accounts.ts';
import { ethBaseFee } from './eth_baseFee.ts';
import { ethBlobBaseFee } from './eth_blobBaseFee.ts';
import { ethBlockNumber } from './eth_blockNumber.ts';
import { ethCall } from './eth_call.ts';
import { ethCapabilities } from './eth_capabilities.ts';
import { ethChainId } from './eth_chainId.ts';
import { ethConfig } from './eth_config.ts';
import { ethCreateAccessList } from './eth_createAccessList.ts';
import { ethEstimateGas } from './eth_estimateGas.ts';
import { ethFeeHistory } from './eth_feeHistory.ts';
import { ethFillTransaction } from './eth_fillTransaction.ts';
import { ethGasPrice } from './eth_gasPrice.ts';
import { ethGetAccountInfo } from './eth_getAccountInfo.ts';
import { ethGetBalance } from './eth_getBalance.ts';
import { ethGetBlockAccessList } from './eth_getBlockAccessList.ts';
import { ethGetBlockByHash } from './eth_getBlockByHash.ts';
import { ethGetBlockByNumber } from './eth_getBlockByNumber.ts';
import { ethGetBlockReceipts } from './eth_getBlockReceipts.ts';
import { ethGetBlockTransactionCountByHash } from './eth_getBlockTransactionCountByHash.ts';
import { ethGetBlockTransactionCountByNumber } from './eth_getBlockTransactionCountByNumber.ts';
import { ethGetCode } from './eth_getCode.ts';
import { ethGetFilterChanges } from './eth_getFilterChanges.ts';
import { ethGetFilterLogs } from './eth_getFilterLogs.ts';
import { ethGetHeaderByHash } from './eth_getHeaderByHash.ts';
import { ethGetHeaderByNumber } from './eth_getHeaderByNumber.ts';
import { ethGetLogs } from './eth_getLogs.ts';
import { ethGetProof } from './eth_getProof.ts';
import { ethGetRawTransactionByBlockHashAndIndex } from './eth_getRawTransactionByBlockHashAndIndex.ts';
import { ethGetRawTransactionByBlockNumberAndIndex } from './eth_getRawTransactionByBlockNumberAndIndex.ts';
import { ethGetRawTransactionByHash } from './eth_getRawTransactionByHash.ts';
import { ethGetStorageAt } from './eth_getStorageAt.ts';
import { ethGetStorageValues } from './eth_getStorageValues.ts';
import { ethGetTransactionByBlockHashAndIndex } from './eth_getTransactionByBlockHashAndIndex.ts';
import { ethGetTransactionByBlockNumberAndIndex } from './eth_getTransactionByBlockNumberAndIndex.ts';
import { ethGetTransactionByHash } from './eth_getTransactionByHash.ts';
import { ethGetTransactionBySenderAndNonce } from './eth_getTransactionBySenderAndNonce.ts';
import { ethGetTransactionCount } from './eth_getTransactionCount.ts';
import { ethGetTransactionReceipt } from './eth_getTransactionReceipt.ts';
import { ethGetUncleByBlockHashAndIndex } from './eth_getUncleByBlockHashAndIndex.ts';
import { ethGetUncleByBlockNumberAndIndex } from './eth_getUncleByBlockNumberAndIndex.ts';
import { ethGetUncleCountByBlockHash } from './eth_getUncleCountByBlockHash.ts';
import { ethGetUncleCountByBlockNumber } from './eth_getUncleCountByBlockNumber.ts';
import { ethMaxPriorityFeePerGas } from './eth_maxPriorityFeePerGas.ts';
import { ethNewBlockFilter } from './eth_newBlockFilter.ts';
import { ethNewFilter } from './eth_newFilter.ts';
import { ethNewPendingTransactionFilter } from './eth_newPendingTransactionFilter.ts';
import { ethSendRawTransaction } from './eth_sendRawTransaction.ts';
import { ethSendRawTransactionSync } from './eth_sendRawTransactionSync.ts';
import { ethSimulateV1 } from './eth_simulateV1.ts';
import { ethSubscribe } from './eth_subscribe.ts';
import { ethSyncing } from './eth_syncing.ts';
import { ethUninstallFilter } from './eth_uninstallFilter.ts';
import { ethUnsubscribe } from './eth_unsubscribe.ts';
import { createEarlyEstimate, l2EstimateGas } from './l2_estimateGas.ts';
import type { MethodContext } from './method-context.ts';
import { netListening } from './net_listening.ts';
import { netPeerCount } from './net_peerCount.ts';
import { netVersion } from './net_version.ts';
import type { Network } from './network.ts';
import type { NetworkMethods } from './network-methods.ts';
import { createEarlyNodeMethod, createNodeMethod } from './node-method.ts';
import { rollupGetInfo } from './rollup_getInfo.ts';
import { rpcModules } from './rpc_modules.ts';
import { web3ClientVersion } from './web3_clientVersion.ts';
import { web3Sha3 } from './web3_sha3.ts';

/** All methods that the service implements. The methods of the specification come first, in its order; further methods that clients need follow. */
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
  ethGetHeaderByNumber,
  ethGetHeaderByHash,
  ethGetBlockTransactionCountByNumber,
  ethGetBlockTransactionCountByHash,
  ethGetUncleCountByBlockNumber,
  ethGetUncleCountByBlockHash,
  ethGetUncleByBlockHashAndIndex,
  ethGetTransactionByHash,
  ethGetTransactionByBlockHashAndIndex,
  ethGetTransactionReceipt,
  ethGetRawTransactionByHash,
  ethGetRawTransactionByBlockNumberAndIndex,
  ethGetRawTransactionByBlockHashAndIndex,
  ethGetBlockAccessList,
  debugGetRawBlock,
  debugGetRawHeader,
  debugGetRawReceipts,
  debugGetRawTransaction,
  debugGetRawBlockAccessList,
  ethGetTransactionCount,
  ethCreateAccessList,
  ethSimulateV1,
  ethGetBalance,
  ethGetCode,
  ethGetStorageAt,
  ethGetStorageValues,
  ethGetProof,
  ethGasPrice,
  ethMaxPriorityFeePerGas,
  ethFeeHistory,
  ethBaseFee,
  ethBlobBaseFee,
  ethSyncing,
  ethAccounts,
  netListening,
  netPeerCount,
  web3Sha3,
  ethConfig,
  ethCapabilities,
  rpcModules,
  ethGetLogs,
  ethSubscribe,
  ethUnsubscribe,
  ethNewFilter,
  ethNewBlockFilter,
  ethNewPendingTransactionFilter,
  ethGetFilterChanges,
  ethGetFilterLogs,
  ethUninstallFilter,
  ethSendRawTransaction,
  ethSendRawTransactionSync,
  ethFillTransaction,
  ethGetTransactionBySenderAndNonce,
  ethGetAccountInfo,
];

const BY_NAME: ReadonlyMap<string, Method<MethodContext>> = new Map(
  METHODS.map((method) => [method.name, method]),
);

/** Returns the method that the network serves under this name, or undefined where it serves none. */
export function findMethod(name: string, network: Network): Method<MethodContext> | undefined {
  const method = BY_NAME.get(name) ?? findOwnEstimate(name, network);
  const { methods } = network;
  if (method === undefined)
    return (
      findNodeEstimate(name, network) ?? (methods === undefined ? undefined : findNodeMethod(name, methods))
    );
  if (method.needsRollup === true && network.rollup === undefined) return undefined;
  const isListed =
    network.hasNodes !== true || methods?.lists(name) === true || methods?.passes(name) === true;
  if (method.isOptIn === true && !isListed) return undefined;
  if (methods === undefined) return method;
  if (method.base !== undefined && methods.excludes(method.base)) return undefined;
  return methods.offers(name, method.name) || methods.lists(name) ? method : undefined;
}

/**
 * Returns the service's own estimate method for a rollup, by a name such as `linea_estimateGas`. The prefix `l2_` stands for the network's own
 * prefixes (spec 1). Until the rollup family is recognised, the estimate methods of all families are served, and their calls wait for the
 * recognition.
 */
function findOwnEstimate(
  name: string,
  { rollup, rollupPrefixes }: Network,
): Method<MethodContext> | undefined {
  if (rollup === undefined || !name.endsWith(ESTIMATE_GAS)) return undefined;
  if (rollupPrefixes === undefined)
    return rollup.recognise === undefined ? undefined : EARLY_ESTIMATES.get(name);
  return rollupPrefixes.includes(name.slice(0, -ESTIMATE_GAS.length)) ? l2EstimateGas : undefined;
}

const ESTIMATE_GAS = '_estimateGas';

const EARLY_ESTIMATES: ReadonlyMap<string, Method<MethodContext>> = new Map(
  [...FAMILY_PREFIXES].map((prefix) => [`${prefix}_estimateGas`, createEarlyEstimate(prefix)]),
);

/**
 * Returns an estimate method of the nodes of the network's rollup family. Until the family is recognised, the methods of all families are served, and their
 * calls wait for the recognition.
 */
function findNodeEstimate(name: string, network: Network): Method<MethodContext> | undefined {
  const { rollup, hasNodes, nodeEstimates, methods } = network;
  if (rollup === undefined || hasNodes !== true || methods?.offers(name, name) === false) return undefined;
  if (nodeEstimates === undefined)
    return rollup.recognise === undefined ? undefined : EARLY_NODE_ESTIMATES.get(name);
  return nodeEstimates.includes(name) ? NODE_ESTIMATES.get(name) : undefined;
}

const NODE_ESTIMATES: ReadonlyMap<string, Method<MethodContext>> = new Map(
  [...FAMILY_ESTIMATES].map((name) => [name, createNodeMethod(name, name)]),
);
const EARLY_NODE_ESTIMATES: ReadonlyMap<string, Method<MethodContext>> = new Map(
  [...FAMILY_ESTIMATES].map((name) => [name, createEarlyNodeMethod(name)]),
);

/** Maximum number of cached node methods. The cache needs a bound, because clients choose the names within a namespace. */
const MAX_NODE_METHODS = 1_000;
/** Node methods by name and label, created on their first use. */
const NODE_METHODS = new Lru<string, Method<MethodContext>>(MAX_NODE_METHODS, Number.POSITIVE_INFINITY);

function findNodeMethod(name: string, methods: NetworkMethods): Method<MethodContext> | undefined {
  const development = methods.findDevelopment(name);
  const label = development ?? methods.findNodeMethod(name);
  if (label === undefined) return undefined;
  const key = `${name} ${label}`;
  const known = NODE_METHODS.get(key);
  if (known !== undefined) return known;
  const created = (development === undefined ? createNodeMethod : createDevelopmentMethod)(name, label);
  NODE_METHODS.set(key, created);
  return created;
}
