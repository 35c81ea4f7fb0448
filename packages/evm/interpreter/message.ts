/** A message, its block environment, and its result. */

/** Block environment visible to code. */
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
  /** Slot number of the consensus layer (EIP-7843); absent before Amsterdam. */
  readonly slotNumber?: bigint | undefined;
  /** Returns the hash of one of the 256 blocks before this one. */
  readonly getBlockHash: (number: bigint) => Uint8Array;
};

export type AccessedAccount = {
  readonly address: Uint8Array;
  readonly storageKeys: readonly Uint8Array[];
};

export type Message = {
  readonly caller: Uint8Array;
  /** Absent: create a contract from `data`. The caller's nonce is already raised. */
  readonly to: Uint8Array | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** Gas for execution: intrinsic gas is already subtracted. */
  readonly gasLimit: bigint;
  /** State gas reservoir in addition to `gasLimit` (EIP-8037); 0 in earlier revisions. */
  readonly stateGas: bigint;
  readonly gasPrice: bigint;
  readonly blobVersionedHashes: readonly Uint8Array[];
  readonly accessList: readonly AccessedAccount[];
};

export type ExecutionLog = {
  readonly address: Uint8Array;
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
  /** Index among all logs since recording began, including reverted ones; 0 when nothing is recorded. */
  readonly number: number;
  /** The log records a value transfer; no contract emitted it. */
  readonly isTransfer: boolean;
};

/** Data recorded in addition to results. */
export type Recording = 'nothing' | 'logNumbers' | 'transfers' | 'accesses' | 'blockAccesses';

/** An account or slot that an instruction named. With `blockAccesses`: an account or slot that a message accessed. */
export type StateAccess = { readonly address: Uint8Array; readonly slot: Uint8Array | undefined };

/** Outcome of a message. */
export type MessageOutcome = {
  readonly status: 'success' | 'revert' | 'halt';
  /** geth's text of the halt reason; empty unless status is `halt`. */
  readonly reason: string;
  /** Return data, revert data, or the created contract's code. */
  readonly output: Uint8Array;
};

export type MessageResult = MessageOutcome & {
  /** Execution gas used, including state charges paid from it; refills do not reduce it. */
  readonly gasUsed: bigint;
  /** Remaining reservoir, which may exceed its initial value. */
  readonly stateGasLeft: bigint;
  /** State gas charged minus refills, from either kind of gas; negative when refills exceed charges. */
  readonly stateGasUsed: bigint;
  /** Refund counter before the cap is applied. */
  readonly gasRefund: bigint;
  readonly logs: readonly ExecutionLog[];
  /** Smallest gas with which execution would be identical; undefined when code read its remaining gas. */
  readonly gasNeeded: bigint | undefined;
  /** The message was ended by a limit of this implementation, not of the protocol. The result is not that of the chain. */
  readonly isLimited: boolean;
};
