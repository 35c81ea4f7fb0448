/** Arguments of the readers in `chain.ts`, in the shape of the wire. */

import type { JsonText } from '../primitives/json-result.ts';
import type { AccessListEntry, AuthorizationEntry, WithdrawalObject } from './wire-json.ts';

export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized';

/** A block as a caller names it (EIP-1898 forms included). Hashes are lower-case `0x` text. */
export type BlockReference =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'hash'; readonly hash: string; readonly requireCanonical: boolean };

/**
 * A transaction call object (spec 2.5), wire shape: every value is syntactically valid hex of its type
 * (quantity, 20 bytes, data), which the gateway's schema has checked. Absent means not given; `null` never occurs.
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

/** Replaced account fields for one call. `state` replaces all storage, `stateDiff` single slots. */
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

/** Replaced fields of the block a call runs in, wire shape. */
export type BlockOverrides = {
  readonly number?: string;
  readonly difficulty?: string;
  readonly time?: string;
  readonly gasLimit?: string;
  readonly feeRecipient?: string;
  readonly prevRandao?: string;
  readonly baseFeePerGas?: string;
  readonly blobBaseFee?: string;
  /** Refused in a call, and known so that it can be refused. */
  readonly beaconRoot?: string;
  readonly withdrawals?: readonly unknown[];
};

/** Replaced fields of a simulated block; all others follow from its parent. */
export type SimulatedBlockOverrides = BlockOverrides & {
  readonly beaconRoot?: string;
  readonly withdrawals?: readonly WithdrawalObject[];
};

/** A block to simulate: its state is overridden first, then its calls are run as transactions. */
export type BlockStateCalls = {
  readonly blockOverrides?: SimulatedBlockOverrides;
  readonly stateOverrides?: StateOverrides;
  readonly calls?: readonly CallObject[];
};

/** Blocks to simulate one after another, wire shape (execution-apis `eth_simulateV1`). */
export type BlockSimulation = {
  readonly blockStateCalls: readonly BlockStateCalls[];
  /** Transfers of value become logs. */
  readonly traceTransfers?: boolean;
  /** Nonces, fees and base fees are checked as in blocks. */
  readonly validation?: boolean;
  readonly returnFullTransactions?: boolean;
};

/** A simulation and the block that it follows. */
export type SimulateRequest = { readonly simulation: BlockSimulation; readonly block: BlockReference };

/** Everything one simulated execution is made of. */
export type CallRequest = {
  readonly call: CallObject;
  /** The same as JSON, where that is at hand. */
  readonly callText?: JsonText;
  readonly block: BlockReference;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
};

/** A transaction by its place in a block, or by its hash (lower-case `0x` text). */
export type TransactionReference =
  | { readonly block: BlockReference; readonly index: bigint }
  | { readonly hash: string };

/** Parts of a block that readers give in their network encoding: its RLP, that of its header, or each of its receipts. */
export type RawPart = 'block' | 'header' | 'receipts';

/** Form of a block access list: objects (execution-apis), or a JSON string of its RLP, whose hash the header has. */
export type AccessListForm = 'objects' | 'raw';

/** Slots (32 bytes) by account (lower case): what `getStorageValues` is asked for. */
export type StorageRequests = ReadonlyMap<string, readonly string[]>;

/**
 * Selects logs. Addresses and topics are lower-case `0x` text; an empty list of alternatives matches any.
 */
export type LogFilter = {
  readonly blocks: LogBlocks;
  readonly addresses: readonly string[];
  /** Alternatives by position, up to 4. A log with fewer topics than this list does not match. */
  readonly topics: readonly (readonly string[])[];
};

/** One block by its hash, or all from one to another, each a number or a tag. */
export type LogBlocks =
  | { readonly kind: 'block'; readonly hash: string }
  | { readonly kind: 'range'; readonly from: LogBound; readonly to: LogBound };

export type LogBound = Exclude<BlockReference, { readonly kind: 'hash' }>;

/** The blocks of a fee history. */
export type FeeHistoryRequest = {
  /** At least 1. Where there are fewer up to `newest`, there are fewer in the answer. */
  readonly blockCount: number;
  /** By tag or number. */
  readonly newest: BlockReference;
  /** From 0 to 100, ascending; with none the answer has no rewards. */
  readonly percentiles: readonly number[];
};
