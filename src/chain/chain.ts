/**
 * The seam between what is served and where it comes from. Everything above it (methods, rollup families,
 * gateway) sees chains only through this interface; everything below it (the embedded engine, pools of
 * upstream nodes) implements it. Values cross it in their wire shape.
 */

import type { Eventual } from '../primitives/eventual.ts';
import type { JsonResult, JsonText } from '../primitives/json-result.ts';

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
};

/** Everything one simulated execution is made of. */
export type CallRequest = {
  readonly call: CallObject;
  readonly block: BlockReference;
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
};

/** The part of AbortSignal that chains may use. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The part of a trace that chains may use. */
export interface CallTrace {
  /** W3C trace context for whoever is asked. */
  readonly traceParent: string;
  begin(name: string, kind: 'internal' | 'client', attributes: Readonly<Record<string, string>>): CallTrace;
  end(fault?: string): void;
}

/** When an answer is no longer wanted. `signal` may be created on first use: read it only where it is needed. */
export type CallScope = {
  /** Milliseconds on the clock of `performance.now()`. */
  readonly deadline: number;
  /** Milliseconds from the start to the deadline, for messages about it. */
  readonly limitMs?: number;
  /** Whose request it is: work that waits is taken from different owners in turn. */
  readonly owner?: string | undefined;
  readonly signal: CancelSignal;
  /** The work that it is part of, where that is traced. */
  readonly trace?: CallTrace | undefined;
  /** Whether a node had to be asked: noted by a chain that has nodes. */
  hasAskedNode?: boolean;
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

/** Answer of `Chain.request` for a method that this chain cannot serve. */
export const UNSUPPORTED: unique symbol = Symbol('unsupported');

/**
 * A source of chain data. Reads of blocks that do not exist answer `null`; failures of execution and of
 * the source itself are `ChainError`s. What is known without waiting is answered, or thrown, at once.
 */
export interface Chain {
  readonly chainId: bigint;
  /** Whether it has a head and, where nodes are asked, one of them is up, as far as is known now. */
  readonly isAnswerable: boolean;

  /** Return data of a message call: JSON string of hex data. */
  call(request: CallRequest, scope: CallScope): Eventual<JsonResult>;
  /** Gas estimate: JSON string of a quantity. */
  estimateGas(request: CallRequest, scope: CallScope): Eventual<JsonText>;
  /** Array of receipt objects (spec 2.3), or null. */
  getBlockReceipts(block: BlockReference, scope: CallScope): Eventual<JsonResult | null>;
  /** Transaction object (spec 2.2), or null. */
  getTransactionByBlockAndIndex(
    block: BlockReference,
    index: bigint,
    scope: CallScope,
  ): Eventual<JsonText | null>;
  /** Uncle as a block object (spec 2.1), or null. */
  getUncleByBlockAndIndex(block: BlockReference, index: bigint, scope: CallScope): Eventual<JsonText | null>;
  /** Header of the block, or null when there is none. */
  getHeader(block: BlockReference, scope: CallScope): Eventual<HeaderView | null>;
  /** Any further method that a rollup family or a client library needs. */
  request(
    method: string,
    params: readonly unknown[],
    scope: CallScope,
  ): Eventual<JsonResult | typeof UNSUPPORTED>;
  close(): Promise<void>;
}
