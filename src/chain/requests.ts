/** Arguments of the readers in `chain.ts`, in the form of the JSON-RPC protocol. */

import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { AccessListEntry, AuthorizationEntry, WithdrawalObject } from './wire-json.ts';

export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized';

/** Block reference from a caller, including the forms of EIP-1898. Hashes are lower-case `0x` text. */
export type BlockReference =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'hash'; readonly hash: string; readonly requireCanonical: boolean };

/**
 * Transaction call object (spec 2.5) in the form of the JSON-RPC protocol. The gateway's schema has checked that every value is valid hex of its type
 * (quantity, 20 bytes, data). Omitted members are absent and never `null`.
 */
export type CallObject = {
  readonly from?: string;
  readonly to?: string;
  readonly gas?: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly maxFeePerBlobGas?: string;
  readonly value?: string;
  readonly nonce?: string;
  readonly data?: string;
  readonly input?: string;
  readonly type?: string;
  readonly chainId?: string;
  readonly accessList?: readonly AccessListEntry[];
  readonly blobVersionedHashes?: readonly string[];
  readonly authorizationList?: readonly AuthorizationEntry[];
};

/** Account fields that are replaced for one call. `state` replaces the whole storage, `stateDiff` only the listed slots. */
export type AccountOverride = {
  readonly nonce?: string;
  readonly code?: string;
  readonly balance?: string;
  readonly state?: Readonly<Record<string, string>>;
  readonly stateDiff?: Readonly<Record<string, string>>;
  readonly movePrecompileToAddress?: string;
};

/** Overrides by account address, in lower case. */
export type StateOverrides = Readonly<Record<string, AccountOverride>>;

/** Replaced fields of the block in which a call executes, in the form of the JSON-RPC protocol. */
export type BlockOverrides = {
  readonly number?: string;
  readonly difficulty?: string;
  readonly time?: string;
  readonly gasLimit?: string;
  readonly feeRecipient?: string;
  readonly prevRandao?: string;
  readonly baseFeePerGas?: string;
  readonly blobBaseFee?: string;
  /** Rejected in calls. The type contains `beaconRoot` so that the error of a rejected call can name it. */
  readonly beaconRoot?: string;
  readonly withdrawals?: readonly unknown[];
};

/** Replaced fields of a simulated block; all other fields follow from its parent. */
export type SimulatedBlockOverrides = BlockOverrides & {
  readonly beaconRoot?: string;
  readonly withdrawals?: readonly WithdrawalObject[];
};

/** Block to simulate. The state overrides are applied first, and then the calls run as transactions. */
export type BlockStateCalls = {
  readonly blockOverrides?: SimulatedBlockOverrides;
  readonly stateOverrides?: StateOverrides;
  readonly calls?: readonly CallObject[];
};

/** Blocks to simulate one after another, in the form of the JSON-RPC protocol (execution-apis `eth_simulateV1`). */
export type BlockSimulation = {
  readonly blockStateCalls: readonly BlockStateCalls[];
  /** True if value transfers are reported as logs. */
  readonly traceTransfers?: boolean;
  /** True if nonces, fees and base fees are checked as in real blocks. */
  readonly validation?: boolean;
  readonly returnFullTransactions?: boolean;
};

/** Simulation, and the block that is the parent of the first simulated block. */
export type SimulateRequest = { readonly simulation: BlockSimulation; readonly block: BlockReference };

/** Call, block and overrides of one execution. */
export type CallRequest = {
  readonly call: CallObject;
  /** JSON text of the call, if available. */
  readonly callText?: JsonText;
  readonly block: BlockReference;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
};

/** Reference to a transaction, by its block and index or by its hash (lower-case `0x` text). */
export type TransactionReference =
  | { readonly block: BlockReference; readonly index: bigint }
  | { readonly hash: string };

/** Part of a block in network encoding: its RLP, the RLP of its header, or each of its receipts. */
export type RawPart = 'block' | 'header' | 'receipts';

/** Form of a block access list: objects (execution-apis), or a JSON string of its RLP. The header commits to the RLP. */
export type AccessListForm = 'objects' | 'raw';

/** Requested slots (32 bytes) for `getStorageValues`, by account in lower case. */
export type StorageRequests = ReadonlyMap<string, readonly string[]>;

/** Log filter. Addresses and topics are lower-case `0x` text; an empty list of alternatives matches any value. */
export type LogFilter = {
  readonly blocks: LogBlocks;
  readonly addresses: readonly string[];
  /** Alternatives for each topic position, up to 4 positions. A log with fewer topics than positions does not match. */
  readonly topics: readonly (readonly string[])[];
};

/** One block by its hash, or a range whose ends are numbers or tags. */
export type LogBlocks =
  | { readonly kind: 'block'; readonly hash: string }
  | { readonly kind: 'range'; readonly from: LogBound; readonly to: LogBound };

export type LogBound = Exclude<BlockReference, { readonly kind: 'hash' }>;

/** Parameters of a fee history. */
export type FeeHistoryRequest = {
  /** Number of blocks, at least 1. The result is shorter if fewer blocks exist up to `newest`. */
  readonly blockCount: number;
  /** Newest block of the history, by tag or number. */
  readonly newest: BlockReference;
  /** Percentiles from 0 to 100, ascending; if empty, the result has no rewards. */
  readonly percentiles: readonly number[];
};
