/** Arguments of the readers in `chain.ts`, in wire shape. */

import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { AccessListEntry, AuthorizationEntry, WithdrawalObject } from './wire-json.ts';

export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized';

/** Block reference of a caller (EIP-1898 forms included). Hashes are lower-case `0x` text. */
export type BlockReference =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'hash'; readonly hash: string; readonly requireCanonical: boolean };

/**
 * Transaction call object (spec 2.5), wire shape: every value is syntactically valid hex of its type (quantity, 20 bytes, data), checked by the
 * gateway's schema. Omitted members are absent; `null` never occurs.
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

/** Account fields replaced for one call. `state` replaces all storage, `stateDiff` single slots. */
export type AccountOverride = {
  readonly nonce?: string;
  readonly code?: string;
  readonly balance?: string;
  readonly state?: Readonly<Record<string, string>>;
  readonly stateDiff?: Readonly<Record<string, string>>;
  readonly movePrecompileToAddress?: string;
};

/** Overrides by lower-case address. */
export type StateOverrides = Readonly<Record<string, AccountOverride>>;

/** Fields of the executing block that are replaced, wire shape. */
export type BlockOverrides = {
  readonly number?: string;
  readonly difficulty?: string;
  readonly time?: string;
  readonly gasLimit?: string;
  readonly feeRecipient?: string;
  readonly prevRandao?: string;
  readonly baseFeePerGas?: string;
  readonly blobBaseFee?: string;
  /** Rejected in calls; declared so that it can be rejected. */
  readonly beaconRoot?: string;
  readonly withdrawals?: readonly unknown[];
};

/** Replaced fields of a simulated block; all others follow from its parent. */
export type SimulatedBlockOverrides = BlockOverrides & {
  readonly beaconRoot?: string;
  readonly withdrawals?: readonly WithdrawalObject[];
};

/** Block to simulate: its state is overridden first, then its calls run as transactions. */
export type BlockStateCalls = {
  readonly blockOverrides?: SimulatedBlockOverrides;
  readonly stateOverrides?: StateOverrides;
  readonly calls?: readonly CallObject[];
};

/** Blocks to simulate one after another, wire shape (execution-apis `eth_simulateV1`). */
export type BlockSimulation = {
  readonly blockStateCalls: readonly BlockStateCalls[];
  /** Reports value transfers as logs. */
  readonly traceTransfers?: boolean;
  /** Checks nonces, fees and base fees as in real blocks. */
  readonly validation?: boolean;
  readonly returnFullTransactions?: boolean;
};

/** Simulation and the block that it builds on. */
export type SimulateRequest = { readonly simulation: BlockSimulation; readonly block: BlockReference };

/** Inputs of one simulated execution. */
export type CallRequest = {
  readonly call: CallObject;
  /** Call as JSON text, if available. */
  readonly callText?: JsonText;
  readonly block: BlockReference;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
};

/** Transaction by its place in a block, or by its hash (lower-case `0x` text). */
export type TransactionReference =
  | { readonly block: BlockReference; readonly index: bigint }
  | { readonly hash: string };

/** Parts of a block in network encoding: its RLP, that of its header, or each of its receipts. */
export type RawPart = 'block' | 'header' | 'receipts';

/** Form of a block access list: objects (execution-apis), or a JSON string of its RLP, which the header commits to. */
export type AccessListForm = 'objects' | 'raw';

/** Requested slots (32 bytes) by account (lower-case) for `getStorageValues`. */
export type StorageRequests = ReadonlyMap<string, readonly string[]>;

/** Log filter. Addresses and topics are lower-case `0x` text; an empty list of alternatives matches any value. */
export type LogFilter = {
  readonly blocks: LogBlocks;
  readonly addresses: readonly string[];
  /** Alternatives by position, up to 4. A log with fewer topics than this list does not match. */
  readonly topics: readonly (readonly string[])[];
};

/** One block by hash, or a range whose ends are numbers or tags. */
export type LogBlocks =
  | { readonly kind: 'block'; readonly hash: string }
  | { readonly kind: 'range'; readonly from: LogBound; readonly to: LogBound };

export type LogBound = Exclude<BlockReference, { readonly kind: 'hash' }>;

/** Parameters of a fee history. */
export type FeeHistoryRequest = {
  /** Number of blocks, at least 1. The response is shorter if fewer blocks exist up to `newest`. */
  readonly blockCount: number;
  /** Newest block, by tag or number. */
  readonly newest: BlockReference;
  /** Percentiles from 0 to 100, ascending; without any the response has no rewards. */
  readonly percentiles: readonly number[];
};
