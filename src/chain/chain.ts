/**
 * Interface between served methods and the sources of chain data. The methods, the rollup families and the gateway read chains only through this
 * interface. The embedded engine and the pools of upstream nodes implement the interface `Chain`. Values have the form of the JSON-RPC protocol.
 */

import type { CallBytes } from '../../packages/ethereum/primitives/call-bytes.ts';
import type { JsonResult, JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { ChainError, UNSUPPORTED } from './errors.ts';
import type {
  AccessListForm,
  BlockReference,
  CallRequest,
  FeeHistoryRequest,
  LogFilter,
  RawPart,
  SimulateRequest,
  StorageRequests,
  TransactionReference,
} from './requests.ts';

/** Header members that are needed to compute prices and to limit block ranges. `baseFeePerGas` is absent before London. */
export type HeaderView = {
  readonly number: bigint;
  /** Block hash; absent for the pending block. */
  readonly hash?: string;
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  readonly baseFeePerGas?: bigint;
  readonly extraData: string;
};

/** Reads blocks and their contents. All results are null for a block that does not exist. */
export interface BlockReads {
  /** Returns the header members that are needed to compute prices and to limit block ranges. */
  getHeader(block: BlockReference, scope: RequestScope): PromiseOrValue<HeaderView | null>;
  /** Returns the block object (spec 2.1) with transaction objects or their hashes. */
  getBlock(
    block: BlockReference,
    hasTransactions: boolean,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null>;
  /** Returns the header members of a block object; null for the pending block. */
  getHeaderObject(block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /**
   * Returns the header members of the block with this hash, canonical or not. The result is null only if every source of blocks reports that the
   * block does not exist.
   * @throws ChainError `unavailable` while a source that may have the block cannot be reached
   */
  findHeaderObject(hash: string, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Returns the block's number of transactions as a JSON quantity. */
  countTransactions(block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Returns the block's number of uncles as a JSON quantity. */
  countUncles(block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Returns an uncle as a block object (spec 2.1); null if the block has no such uncle. */
  getUncle(block: BlockReference, index: bigint, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Returns the array of receipt objects (spec 2.3). */
  getReceipts(block: BlockReference, scope: RequestScope): PromiseOrValue<JsonResult | null>;
  /** Returns a JSON string of hex data or, for receipts, an array of such strings; null for the pending block. */
  getRaw(block: BlockReference, part: RawPart, scope: RequestScope): PromiseOrValue<JsonResult | null>;
  /**
   * Returns the block access list (EIP-7928); null for the pending block.
   * @throws ChainError `absent` for a block before Amsterdam, `pruned` if the block's list is no longer stored
   */
  getAccessList(
    block: BlockReference,
    form: AccessListForm,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null>;
}

/** Reads transactions by hash, or by block and index. Each method returns null if the transaction does not exist. */
export interface TransactionReads {
  /** Returns the transaction object (spec 2.2). */
  getTransaction(transaction: TransactionReference, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Returns the transaction's canonical bytes (EIP-2718) as a JSON string of hex data. */
  getRawTransaction(
    transaction: TransactionReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null>;
  /** Returns the receipt object (spec 2.3) of a mined transaction. */
  getReceipt(hash: string, scope: RequestScope): PromiseOrValue<JsonResult | null>;
  /** Returns the object of a pending transaction that this caller has sent through this gateway; null if there is none. */
  findWaiting(sender: string, nonce: bigint, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /**
   * Sends a signed transaction in network form (EIP-2718; blob transactions with their sidecar). Returns the hash of the transaction as a JSON
   * string.
   * @throws ChainError `failed` with geth's error text if no node would accept the transaction, or if all nodes rejected it
   */
  send(bytes: Uint8Array, scope: RequestScope): PromiseOrValue<JsonText>;
}

/** Reads logs of many blocks. */
export interface LogReads {
  /**
   * Returns the array of log objects (spec 2.4) in chain order.
   * @throws ChainError with geth's error text for blocks that do not exist, `exceeded` above the network's limits
   */
  getLogs(filter: LogFilter, scope: RequestScope): PromiseOrValue<JsonResult>;
  /**
   * Returns all logs of one block in order, verified against the bloom in its header and never partial; null if there is no such block. The logs of a
   * block that has left the chain are returned as long as a source still has them.
   */
  getBlockLogs(hash: string, scope: RequestScope): PromiseOrValue<readonly BlockLog[] | null>;
}

/** Log as a JSON text (spec 2.4) that ends in `"removed":false}`, together with the members that filters test (lower-case `0x` text). */
export type BlockLog = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly json: JsonText;
};

/** Number and hash of a block. The hash is lower-case `0x` text. */
export type BlockPlace = { readonly number: bigint; readonly hash: string };

/** Reports the head of the served chain, and pending transactions. */
export interface HeadReads {
  /** Block that is served as `latest`; undefined if the chain has no block, or if no block is known to be the latest. */
  readonly served: BlockPlace | undefined;
  /** Explains why no block is served, phrased as the end of a sentence. The method is absent on chains that always serve a block. */
  explainAbsence?(): string;
  /**
   * Calls `listener` after each change of `served`. There may be several blocks or a reorg between two calls.
   * @returns function that unsubscribes
   */
  watch(listener: () => void): () => void;
  /**
   * Calls `listener` with hashes of pending transactions that nodes announce, each hash once, on a best-effort basis.
   * @returns function that unsubscribes; undefined if the chain has no pending transactions
   */
  watchPending(listener: (hashes: readonly string[]) => void): (() => void) | undefined;
}

/** Reads accounts at a block. @throws ChainError `failed` with geth's error text if there is no such block */
export interface StateReads {
  /** Returns the balance in wei as a JSON quantity. */
  getBalance(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText>;
  /** Returns the code as a JSON string of hex data; `0x` if there is no contract. */
  getCode(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonResult>;
  /** Returns a storage word as a JSON string of 32 bytes. @param slot 32 bytes */
  getStorageAt(
    address: string,
    slot: string,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonText>;
  /** Returns arrays of 32-byte storage words, as a JSON object by address. */
  getStorageValues(
    requests: StorageRequests,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonText>;
  /**
   * Returns Merkle proofs of an account and of its slots, in the form of `eth_getProof`.
   * @param slots each slot is 32 bytes or a quantity; the result repeats each slot in the same form
   */
  getProof(
    address: string,
    slots: readonly string[],
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult>;
  /** Returns the nonce as a JSON quantity. */
  getTransactionCount(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText>;
}

/** Outcome of one call in `callMany`. */
export type CallOutcome = {
  /** JSON string of the return data, or the error of the call. */
  readonly answer: JsonResult | ChainError;
  /** True if a request was sent to a node for this call. */
  readonly isRequested: boolean;
};

/** Executes contract code. */
export interface Executions {
  /** Returns the return data of a message call as a JSON string of hex data. */
  call(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult>;
  /**
   * Fast path of `call` for a call whose parameters were decoded to bytes, called at the start of its request scope. The method is absent if calls
   * are forwarded to nodes as text.
   * @returns undefined if `call` must be used instead
   */
  callFastPath?(call: CallBytes, scope: RequestScope): PromiseOrValue<JsonResult> | undefined;
  /**
   * Executes several message calls, coalesced and in order. The outcome of a call that cannot be coalesced is undefined, and the caller must execute
   * that call with `call`. Never throws or rejects. The method is absent on chains that never coalesce calls, and returns undefined if none of these
   * calls can be coalesced.
   * @param requests calls by position; positions with undefined are skipped
   */
  callMany?(
    requests: readonly (CallRequest | undefined)[],
    scope: RequestScope,
  ): PromiseOrValue<readonly (CallOutcome | undefined)[]> | undefined;
  /** Returns the gas estimate as a JSON quantity. */
  estimateGas(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonText>;
  /**
   * Returns the access list of a call, as an object of `accessList`, `gasUsed` and, if the call fails, `error`.
   * @throws ChainError `failed` if the call cannot be executed at all
   */
  createAccessList(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult>;
  /** Returns an array of block objects with the results of their calls. @throws ChainError for an invalid block or call */
  simulate(request: SimulateRequest, scope: RequestScope): PromiseOrValue<JsonResult>;
}

/**
 * Gas prices at the head. Each method returns null if no node supports it. The JSON text `null` means that the chain has no such price, for example
 * no blob gas price.
 */
export interface FeeReads {
  /** Returns the suggested gas price for a transaction without priority fee, as a JSON quantity, wei per gas. */
  getGasPrice(scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Returns a priority fee that recent blocks accepted, as a JSON quantity, wei per gas. */
  getPriorityFee(scope: RequestScope): PromiseOrValue<JsonText | null>;
  /**
   * Returns the fee history object (execution-apis `eth_feeHistory`).
   * @throws ChainError `failed` with geth's error text if the newest block is beyond the head
   */
  getFeeHistory(request: FeeHistoryRequest, scope: RequestScope): PromiseOrValue<JsonResult | null>;
  /** Returns the base fee of the block after the head as a JSON quantity; the text `null` if London is not active in that block. */
  getBaseFee(scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Returns the blob gas price of the head as a JSON quantity; the text `null` before Cancun. */
  getBlobBaseFee(scope: RequestScope): PromiseOrValue<JsonText | null>;
}

/** Reads information about the node. A method returns null if no node supports it. */
export interface NodeReads {
  /** Answers `eth_syncing`: `false` if a head is served. */
  getSyncing(scope: RequestScope): PromiseOrValue<JsonText>;
  /** Returns the fork schedule around the head (EIP-7910). */
  getConfig(scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Returns the head and, for each kind of data, the first block for which it is available (execution-apis `eth_capabilities`). */
  getCapabilities(scope: RequestScope): PromiseOrValue<JsonText | null>;
}

/**
 * Source of chain data, divided into one reader each for blocks, transactions, logs, state, executions, fees, nodes and heads. Reads of blocks that
 * do not exist return `null`. Failures of an execution, and of the source itself, are `ChainError`s. If a result or an error is known without
 * waiting, it is returned or thrown synchronously.
 */
export interface Chain {
  /** Chain id. @throws ChainError `unavailable` until nodes have reported the chain id, unless the configuration names it */
  readonly chainId: bigint;
  /**
   * Returns the chain id; right after a start, waits for the nodes' reports. The method is absent on chains whose id is always known.
   * @throws ChainError `unavailable`, synchronously or by rejection
   */
  findChainId?(scope: RequestScope): PromiseOrValue<bigint>;
  /** True if the chain has a head. If upstream nodes serve the chain, at least one of them must also be up. */
  readonly isAnswerable: boolean;
  readonly blocks: BlockReads;
  readonly transactions: TransactionReads;
  readonly logs: LogReads;
  readonly state: StateReads;
  readonly execution: Executions;
  readonly fees: FeeReads;
  readonly node: NodeReads;
  readonly heads: HeadReads;
  /** Forwards a method that only nodes can answer, with unchanged parameters. */
  request(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | typeof UNSUPPORTED>;
  /**
   * Forwards a client's request to a node. An error of the node becomes a `NodeRefusal` with the code and message of the node. The method is absent
   * on chains without upstream nodes.
   */
  pass?(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | typeof UNSUPPORTED>;
  /**
   * Forwards a method that may change the chain. The request is sent once and never repeated, and later reads see the changed chain. Present only on
   * development networks.
   */
  passOnce?(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | typeof UNSUPPORTED>;
  close(): Promise<void>;
}
