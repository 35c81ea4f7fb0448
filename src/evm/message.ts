/** One message as the EVM runs it, the block it runs in, and what comes of it. */

/** The block that code sees. */
export type BlockEnvironment = {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly beneficiary: Uint8Array;
  readonly gasLimit: bigint;
  readonly difficulty: bigint;
  /** 32 bytes; used after the merge. */
  readonly prevRandao: Uint8Array;
  /** Absent before London. */
  readonly baseFeePerGas: bigint | undefined;
  /** Wei per unit of blob gas; 0n before Cancun. */
  readonly blobBaseFee: bigint;
  /** Of the consensus layer (EIP-7843); absent before Amsterdam. */
  readonly slotNumber?: bigint | undefined;
  /** Hash of one of the 256 blocks before this one. */
  readonly getBlockHash: (number: bigint) => Uint8Array;
};

export type AccessedAccount = {
  readonly address: Uint8Array;
  readonly storageKeys: readonly Uint8Array[];
};

export type Message = {
  readonly caller: Uint8Array;
  /** Absent: create a contract from `data`. The caller's nonce has been raised already. */
  readonly to: Uint8Array | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Gas for execution itself: intrinsic gas is already taken off. */
  readonly gasLimit: bigint;
  /** The reservoir of state gas that comes on top (EIP-8037); 0 in revisions without. */
  readonly stateGas: bigint;
  readonly gasPrice: bigint;
  readonly blobVersionedHashes: readonly Uint8Array[];
  readonly accessList: readonly AccessedAccount[];
};

export type ExecutionLog = {
  readonly address: Uint8Array;
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
  /** Its place among all logs since recording began, those that were undone included; 0 where nothing is recorded. */
  readonly number: number;
  /** It records a transfer of value; no contract emitted it. */
  readonly isTransfer: boolean;
};

/** What is recorded of transactions beside their results. */
export type Recording = 'nothing' | 'logNumbers' | 'transfers' | 'accesses' | 'blockAccesses';

/** An account, or one of its slots, that an instruction named, or (`blockAccesses`) that a message accessed. */
export type Access = { readonly address: Uint8Array; readonly slot: Uint8Array | undefined };

/** How a message ended. */
export type MessageOutcome = {
  readonly status: 'success' | 'revert' | 'halt';
  /** geth's text for why it halted; empty unless status is `halt`. */
  readonly reason: string;
  /** Return data, revert data, or the created contract's code. */
  readonly output: Uint8Array;
};

export type MessageResult = MessageOutcome & {
  /** Of its execution gas. What state charges took of that counts, what came back of it does not. */
  readonly gasUsed: bigint;
  /** What is left of the reservoir, which may be more than it began with. */
  readonly stateGasLeft: bigint;
  /** State gas that was charged less what was given back, wherever it came from; negative where more was given back. */
  readonly stateGasUsed: bigint;
  /** Refund counter before the cap is applied. */
  readonly gasRefund: bigint;
  readonly logs: readonly ExecutionLog[];
  /** Least gas with which it would have run the same way; undefined when code looked at its gas. */
  readonly gasNeeded: bigint | undefined;
  /** A limit of this service ended it, not the protocol: what it comes to is not what a chain would have. */
  readonly isLimited: boolean;
};
