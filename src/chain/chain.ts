/**
 * The seam between what is served and where it comes from. Everything above it (methods, rollup families,
 * gateway) sees chains only through this interface; everything below it (the embedded engine, pools of
 * upstream nodes) implements it. Values cross it in their wire shape.
 */

import type { JsonResult, JsonText } from '../primitives/json-result.ts';
import type { PromiseOrValue } from '../primitives/promise-or-value.ts';
import type { RequestScope } from '../util/request-scope.ts';

export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized';

/** A block as a caller names it (EIP-1898 forms included). Hashes are lower-case `0x` text. */
export type BlockReference =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'hash'; readonly hash: string; readonly requireCanonical: boolean };

/** An entry of an EIP-2930 access list, wire shape. */
export type AccessListEntry = { readonly address: string; readonly storageKeys: readonly string[] };

/** An EIP-7702 authorization, wire shape. */
export type AuthorizationEntry = {
  readonly chainId: string;
  readonly address: string;
  readonly nonce: string;
  readonly yParity: string;
  readonly r: string;
  readonly s: string;
};

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

/** Everything one simulated execution is made of. */
export type CallRequest = {
  readonly call: CallObject;
  readonly block: BlockReference;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
};

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

/** Where in the chain a transaction is. */
export type TransactionPlace = { readonly block: BlockReference; readonly index: bigint };

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
  /** Uncle as a block object (spec 2.1); null where the block has no such uncle. */
  getUncle(block: BlockReference, index: bigint, scope: RequestScope): PromiseOrValue<JsonText | null>;
  /** Array of receipt objects (spec 2.3). */
  getReceipts(block: BlockReference, scope: RequestScope): PromiseOrValue<JsonResult | null>;
}

/** Transactions by their place. One that there is not is null. */
export interface TransactionReads {
  /** Transaction object (spec 2.2). */
  getTransaction(place: TransactionPlace, scope: RequestScope): PromiseOrValue<JsonText | null>;
}

/**
 * Accounts at a block. @throws ChainError `failed` where there is no such block, in geth's words
 */
export interface StateReads {
  /** JSON string of a quantity. */
  getTransactionCount(address: string, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonText>;
}

/** What runs contract code. */
export interface Executions {
  /** Return data of a message call: JSON string of hex data. */
  call(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonResult>;
  /** Gas estimate: JSON string of a quantity. */
  estimateGas(request: CallRequest, scope: RequestScope): PromiseOrValue<JsonText>;
}

/** Answer of `Chain.request` for a method that this chain cannot serve. */
export const UNSUPPORTED: unique symbol = Symbol('unsupported');

/**
 * A source of chain data, as readers by what is read: the engine and the pool of nodes have each of them. Reads of blocks that do not
 * exist answer `null`; failures of execution and of the source itself are `ChainError`s. What is known without waiting is
 * answered, or thrown, at once.
 */
export interface Chain {
  readonly chainId: bigint;
  /** Whether it has a head and, where nodes are asked, one of them is up, as far as is known now. */
  readonly isAnswerable: boolean;
  readonly blocks: BlockReads;
  readonly transactions: TransactionReads;
  readonly state: StateReads;
  readonly execution: Executions;
  /** A method that only nodes can answer, with its parameters as they came. */
  request(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): PromiseOrValue<JsonResult | typeof UNSUPPORTED>;
  close(): Promise<void>;
}
