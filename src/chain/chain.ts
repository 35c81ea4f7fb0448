/**
 * The seam between what is served and where it comes from. Everything above it (methods, rollup families,
 * gateway) sees chains only through this interface; everything below it (the embedded engine, pools of
 * upstream nodes) implements it. Values cross it in their wire shape.
 */

import type { CallBytes } from '../primitives/call-bytes.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
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

/** The parts of a header that pricing and clamping need. `baseFeePerGas` is absent before London. */
export type HeaderView = {
  readonly number: bigint;
  /** Absent while pending. */
  readonly hash?: string;
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  readonly baseFeePerGas?: bigint;
  readonly extraData: string;
};

/** Blocks and what they list. A block that there is not is null. */
export interface BlockReads {
  /** The parts of the header that pricing and clamping need. */
  getHeader(block: BlockReference, scope: RequestScope): PromiseOrValue<HeaderView | null>;
  /** Block object (spec 2.1): with transaction objects, or their hashes. */
  getBlock(
    block: BlockReference,
    hasTransactions: boolean,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null>;
  /** The fields of a block object that are of its header; null while pending. */
  getHeaderObject(block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /**
   * The same of the block of this hash, on the chain or off it; null only where every source of the chain's blocks says that there is none.
   * @throws ChainError `unavailable` while one that may have it cannot be asked
   */
  findHeaderObject(hash: string, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** JSON string of a quantity: how many transactions the block has. */
  countTransactions(block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** JSON string of a quantity: how many uncles the block has. */
  countUncles(block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Uncle as a block object (spec 2.1); null where the block has no such uncle. */
  getUncle(block: BlockReference, index: bigint, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Array of receipt objects (spec 2.3). */
  getReceipts(block: BlockReference, scope: RequestScope): PromiseOrValue<JsonResult | null>;
  /** JSON string of hex data; of receipts an array of them. Null while pending. */
  getRaw(block: BlockReference, part: RawPart, scope: RequestScope): PromiseOrValue<JsonResult | null>;
  /**
   * What the block accessed and changed (EIP-7928). Null while pending.
   * @throws ChainError `absent` for a block from before Amsterdam, `pruned` where its list is not kept any more
   */
  getAccessList(
    block: BlockReference,
    form: AccessListForm,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null>;
}

/** Transactions by place or hash. One that there is not is null. */
export interface TransactionReads {
  /** Transaction object (spec 2.2). */
  getTransaction(transaction: TransactionReference, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** JSON string of the transaction's canonical bytes (EIP-2718) as hex data. */
  getRawTransaction(
    transaction: TransactionReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | null>;
  /** Receipt object (spec 2.3) of a mined transaction. */
  getReceipt(hash: string, scope: RequestScope): PromiseOrValue<JsonResult | null>;
  /** Transaction object of one that this caller has sent here and that is in no block yet; null where there is none. */
  findWaiting(sender: string, nonce: bigint, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /**
   * Takes a signed transaction, in the form that networks pass on (EIP-2718, blobs with their sidecar). JSON string of its hash.
   * @throws ChainError `failed` in geth's words for one that no node would take, or that every node refused
   */
  send(bytes: Uint8Array, scope: RequestScope): PromiseOrValue<JsonText>;
}

/** Logs of many blocks. */
export interface LogReads {
  /**
   * Array of log objects (spec 2.4), in the order of the chain.
   * @throws ChainError in geth's words for blocks that are not there, `exceeded` where there are more than the network gives
   */
  getLogs(filter: LogFilter, scope: RequestScope): PromiseOrValue<JsonResult>;
  /**
   * All logs of one block, in order, compared with what its header commits to (its bloom): never some of them. Null where there is no such
   * block. A block that has left the chain has its logs still, where they are at hand.
   */
  getBlockLogs(hash: string, scope: RequestScope): PromiseOrValue<readonly BlockLog[] | null>;
}

/** A log as filters look at it (lower-case `0x` text), and its log object (spec 2.4) as JSON text, ending in `"removed":false}`. */
export type BlockLog = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly json: JsonText;
};

/** A block by its place. The hash is lower-case `0x` text. */
export type BlockPlace = { readonly number: bigint; readonly hash: string };

/** The head of the served chain and what is not in a block yet, as they change. */
export interface HeadReads {
  /** The block that is served as `latest`; undefined while there is none, or none that may be taken for the latest. */
  readonly served: BlockPlace | undefined;
  /** Why no block is served, as the rest of a sentence. Absent where there always is one. */
  explainAbsence?(): string;
  /**
   * Calls `listener` after each change of `served`. Between two calls there may have been several blocks, or a reorg.
   * @returns how to end it
   */
  watch(listener: () => void): () => void;
  /**
   * Calls `listener` with hashes of transactions that wait for a block, each once, as far as nodes announce them: best effort.
   * @returns how to end it; undefined where the chain has no such transactions
   */
  watchPending(listener: (hashes: readonly string[]) => void): (() => void) | undefined;
}

/**
 * Accounts at a block. @throws ChainError `failed` where there is no such block, in geth's words
 */
export interface StateReads {
  /** JSON string of a quantity, Wei. */
  getBalance(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText>;
  /** JSON string of hex data; `0x` where there is no contract. */
  getCode(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonResult>;
  /** JSON string of 32 bytes. @param slot 32 bytes */
  getStorageAt(
    address: string,
    slot: string,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonText>;
  /** Object of arrays of 32 bytes by address. */
  getStorageValues(
    requests: StorageRequests,
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonText>;
  /**
   * Merkle proofs of an account and of slots of it, wire shape of `eth_getProof`.
   * @param slots each is 32 bytes or a quantity; the answer repeats it in this form
   */
  getProof(
    address: string,
    slots: readonly string[],
    block: BlockReference,
    scope: RequestScope,
  ): PromiseOrValue<JsonResult>;
  /** JSON string of a quantity. */
  getTransactionCount(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText>;
}

/** What a call came to that was asked for together with others. */
export type CallOutcome = {
  /** JSON string of the return data, or the error that is the answer. */
  readonly answer: JsonResult | ChainError;
  /** Whether a node was asked for it. */
  readonly isAsked: boolean;
};

/** What runs contract code. */
export interface Executions {
  /** Return data of a message call: JSON string of hex data. */
  call(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult>;
  /**
   * The same of a call that was read into bytes, at the start of its scope; absent where calls are sent on as text.
   * @returns undefined where `call` is to be asked
   */
  callPlain?(call: CallBytes, scope: RequestScope): PromiseOrValue<JsonResult> | undefined;
  /**
   * Several message calls as far as they can be answered together, in their order: undefined in the place of one that is to be made by `call`.
   * Never throws or rejects. Undefined as a whole, or absent, where none can be.
   * @param requests undefined leaves a place out
   */
  callMany?(
    requests: readonly (CallRequest | undefined)[],
    scope: RequestScope,
  ): PromiseOrValue<readonly (CallOutcome | undefined)[]> | undefined;
  /** Gas estimate: JSON string of a quantity. */
  estimateGas(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonText>;
  /**
   * The access list with which a call would run: object of `accessList`, `gasUsed`, and `error` where the call fails.
   * @throws ChainError `failed` where it cannot be executed at all
   */
  createAccessList(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult>;
  /** Array of block objects, each with the results of its calls. @throws ChainError for a block or call that may not be */
  simulate(request: SimulateRequest, scope: RequestScope): PromiseOrValue<JsonResult>;
}

/**
 * Prices of gas at the head. An operation that the chain has no answer to (no node has the method) is null; the text `null` is the answer of a
 * chain that has no such price.
 */
export interface FeeReads {
  /** What a transaction without priority fee should pay: JSON string of a quantity, wei per gas. */
  getGasPrice(scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** A priority fee that recent blocks accepted: JSON string of a quantity, wei per gas. */
  getPriorityFee(scope: RequestScope): PromiseOrValue<JsonText | null>;
  /**
   * Fee history object (execution-apis `eth_feeHistory`).
   * @throws ChainError `failed` in geth's words where the newest block is beyond the head
   */
  getFeeHistory(request: FeeHistoryRequest, scope: RequestScope): PromiseOrValue<JsonResult | null>;
  /** Base fee of the block after the head: JSON string of a quantity; the text `null` where London is not active in it. */
  getBaseFee(scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Price of blob gas in the head: JSON string of a quantity; the text `null` before Cancun. */
  getBlobBaseFee(scope: RequestScope): PromiseOrValue<JsonText | null>;
}

/** What is said about the node. Null where the chain has no answer (no node has the method). */
export interface NodeReads {
  /** Answer of `eth_syncing`: `false` as soon as a head is served. */
  getSyncing(scope: RequestScope): PromiseOrValue<JsonText>;
  /** The fork schedule around the head (EIP-7910). */
  getConfig(scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** The head, and from which block on each kind of data is there (execution-apis `eth_capabilities`). */
  getCapabilities(scope: RequestScope): PromiseOrValue<JsonText | null>;
}

/**
 * A source of chain data, as readers by what is read: the engine and the pool of nodes have each of them. Reads of blocks that do not
 * exist answer `null`; failures of execution and of the source itself are `ChainError`s. What is known without waiting is
 * answered, or thrown, at once.
 */
export interface Chain {
  /** @throws ChainError `unavailable` as long as nodes have not reported it, and the configuration does not name it */
  readonly chainId: bigint;
  /**
   * The same; right after a start it waits for what nodes report. Absent where the chain id is always known.
   * @throws ChainError `unavailable`, at once or by rejection
   */
  findChainId?(scope: RequestScope): PromiseOrValue<bigint>;
  /** Whether it has a head and, where nodes are asked, one of them is up, as far as is known now. */
  readonly isAnswerable: boolean;
  readonly blocks: BlockReads;
  readonly transactions: TransactionReads;
  readonly logs: LogReads;
  readonly state: StateReads;
  readonly execution: Executions;
  readonly fees: FeeReads;
  readonly node: NodeReads;
  readonly heads: HeadReads;
  /** A method that only nodes can answer, with its parameters as they came. */
  request(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | typeof UNSUPPORTED>;
  /** The same for a client: an error of a node is a `NodeRefusal`, with its code and words. Absent where there are no nodes. */
  pass?(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | typeof UNSUPPORTED>;
  /**
   * The same of a method that may change the chain: the node is asked once, whatever becomes of it, and what is read after the answer is of the
   * changed chain. Absent but for development networks.
   */
  passOnce?(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | typeof UNSUPPORTED>;
  close(): Promise<void>;
}
